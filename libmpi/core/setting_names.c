// SPDX-License-Identifier: BSD-3-Clause
/* setting_names.c - reports names HAFT_... that are no settings: a mistyped one would silently do
 * nothing.
 *
 *     haft: HAFT_EAGR is not known, and does nothing: did you mean HAFT_EAGER?
 *
 * The nearest name is that with the smallest edit distance. */
#include "libmpi/core/setting_names.h"

#include "libmpi/core/num.h"
#include "libmpi/core/setting.h"
#include "libobj/base.h"
#include <stdio.h>
#include <string.h>

#define PREFIX      "HAFT_"
#define NAME_MAX    32 /* bytes that are compared; known names have about half as many */
#define NEAREST_MAX 3  /* edit distance up to which a name is suggested */

/* Names that are no settings: the file of defaults, those that mpiexec sets for ranks, and those
 * that the compiler wrappers read. */
static const char *const others[] = {"HAFT_CONF", "HAFT_JOB", "HAFT_INFO_ENV", "HAFT_BIRTH",
	"HAFT_CC", "HAFT_CXX", "HAFT_FC", "HAFT_F77", "HAFT_F90"};

/* Known name i: of settings, old names of settings, others; NULL: no more. */
static const char *name_at(int i)
{
	if (i < SETTING_COUNT)
		return haft_setting_row(i)->name;
	i -= SETTING_COUNT;
	if (i < SETTING_COUNT)
		return haft_setting_row(i)->old != NULL ? haft_setting_row(i)->old : "";
	i -= SETTING_COUNT;
	return i < (int)countof(others) ? others[i] : NULL;
}

int haft_setting_name_distance(const char *a, int n, const char *b)
{
	int row[NAME_MAX + 1], m = (int)strlen(b);

	for (int k = 0; k <= m; k++)
		row[k] = k;
	for (int i = 1; i <= n; i++) {
		int corner = row[0];

		row[0] = i;
		for (int k = 1; k <= m; k++) {
			int above = row[k];

			row[k] = (int)num_min(
				corner + (a[i - 1] != b[k - 1]), 1 + num_min(above, row[k - 1]));
			corner = above;
		}
	}
	return row[m];
}

static void name_check(const char *s, int n)
{
	const char *nearest = NULL, *name;
	int least = NEAREST_MAX + 1, d;

	for (int i = 0; (name = name_at(i)) != NULL; i++) {
		d = haft_setting_name_distance(s, n, name);
		if (d == 0)
			return;
		if (d < least) {
			least = d;
			nearest = name;
		}
	}
	if (nearest != NULL)
		fprintf(stderr, "haft: %.*s is not known, and does nothing: did you mean %s?\n", n,
			s, nearest);
	else
		fprintf(stderr,
			"haft: %.*s is not known, and does nothing (mpi-info --settings lists what "
			"is)\n",
			n, s);
}

void haft_setting_names_check(char *const envp[])
{
	for (int i = 0; envp != NULL && envp[i] != NULL; i++) {
		size_t n = strcspn(envp[i], "=");

		if (n <= NAME_MAX && strncmp(envp[i], PREFIX, strlen(PREFIX)) == 0)
			name_check(envp[i], (int)n);
	}
}
