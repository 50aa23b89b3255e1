// SPDX-License-Identifier: BSD-3-Clause
/* lang.c - in which language the program speaks: one word a thread. */
#include "libmpi/core/lang.h"

#include "libobj/obj.h"

static __thread int lang = OBJ_LANG_C;

int haft_fort_lang(int next)
{
	int was = lang;

	lang = next;
	return was;
}

int haft_lang_take(void)
{
	return haft_fort_lang(OBJ_LANG_C);
}
