// SPDX-License-Identifier: BSD-3-Clause
/* language.c - in which language the program speaks: one word a thread. */
#include "libmpi/core/language.h"

#include "libmpi/core/objects.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include <mpi.h>

static __thread int lang = OBJ_LANG_C;
__thread uintptr_t haft_fort_site;

int haft_fort_lang(int next)
{
	int was = lang;

	lang = next;
	return was;
}

bool haft_fort_copy(void *request, struct req_copy *copy)
{
	struct req *r = obj_get(&haft_req_class, (obj_h)request);

	if (r == NULL)
		return false;
	copy->next = r->copies;
	req_touch(r);
	r->copies = copy;
	return true;
}

void haft_fort_integers(void *datatype)
{
	struct type *t = obj_get(&haft_type_class, (obj_h)datatype);

	if (t == NULL)
		return;
	switch (t->combiner) {
	case MPI_COMBINER_HVECTOR: t->combiner = MPI_COMBINER_HVECTOR_INTEGER; break;
	case MPI_COMBINER_HINDEXED: t->combiner = MPI_COMBINER_HINDEXED_INTEGER; break;
	case MPI_COMBINER_STRUCT: t->combiner = MPI_COMBINER_STRUCT_INTEGER; break;
	default: break;
	}
}

int haft_lang_take(void)
{
	return haft_fort_lang(OBJ_LANG_C);
}
