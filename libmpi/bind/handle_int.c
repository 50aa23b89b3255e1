// SPDX-License-Identifier: BSD-3-Clause
/* handle_int.c - handles as integers and back (MPI-5.0 19.3.4, 20.3.4).
 *
 * The INTEGER of a handle is its low 31 bits, that of a predefined one its number: no table.
 * Nothing is checked on the way out, and an integer that names nothing becomes a handle that names
 * nothing, which the next call refuses with words. */
#include "libmpi/core/objects.h"

#include <raw.h>

#define CLASS(id, type, label, object, null, error, words)                 \
	int bind_##object##_toint(type handle)                             \
	{                                                                  \
		return obj_to_int((obj_h)handle);                          \
	}                                                                  \
                                                                           \
	type bind_##object##_fromint(int number)                           \
	{                                                                  \
		return (type)obj_from_int(&haft_##object##_class, number); \
	}
#include "libmpi/api/classes.def"
#undef CLASS
