// SPDX-License-Identifier: BSD-3-Clause
/* valid.c - see valid.h. */
#include "libmpi/core/valid.h"

#include "libobj/base.h"
#include <stddef.h>

static struct {
	const char *name;
	bool (*check)(void);
} checks[HAFT_VALID_MAX];
static int nchecks;

HAFT_START void haft_valid_add(const char *name, bool (*check)(void))
{
	for (int i = 0; i < nchecks; i++)
		if (checks[i].check == check)
			return;
	must(nchecks < HAFT_VALID_MAX);
	if (nchecks == HAFT_VALID_MAX)
		return;
	checks[nchecks].name = name;
	checks[nchecks++].check = check;
}

const char *haft_valid_all(void)
{
	for (int i = 0; i < nchecks; i++)
		if (!checks[i].check())
			return checks[i].name;
	return NULL;
}
