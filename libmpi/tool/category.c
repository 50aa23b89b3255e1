// SPDX-License-Identifier: BSD-3-Clause
/* category.c - categories of variables.  There are seven, none inside another, and they never
 * change: nothing is loaded later. */
#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/tool/tool.h"
#include <engine.h>
#include <string.h>

static const struct {
	const char *name, *meaning;
} categories[TOOL_CATEGORIES] = {
	[TOOL_SETTINGS] = {"settings", "what the environment can set, as mpi-info prints it"},
	[TOOL_MESSAGES] = {"messages", "how receives match messages"},
	[TOOL_TRANSPORT] = {"transport", "how messages travel, and how processes wait"},
	[TOOL_OBJECTS] = {"objects", "what the program has made and not freed"},
	[TOOL_CALLS] = {"calls", "what calls of MPI do, and how long they wait"},
	[TOOL_ERRORS] = {"errors", "errors that are raised, and processes that are lost"},
	[TOOL_FILES] = {"files", "accesses to files, and the paths that they took"},
};

static int category_bad(int cat_index)
{
	return cat_index < 0 || cat_index >= TOOL_CATEGORIES
		       ? tool_bad_index("category", cat_index, TOOL_CATEGORIES)
		       : 0;
}

int tool_category_get_num(int *num_cat)
{
	*num_cat = TOOL_CATEGORIES;
	return 0;
}

/* Writes the numbers of its performance variables, at most len; returns how many there are. */
static int category_pvars(int cat_index, int len, int indices[])
{
	int n = 0;

	for (int i = 0; i < tool_ncounts; i++) {
		if ((int)tool_counts[i].group != cat_index)
			continue;
		if (n < len)
			indices[n] = i;
		n++;
	}
	return n;
}

/* Likewise, of its types of events. */
static int category_events(int cat_index, int len, int indices[])
{
	int n = 0;

	for (int i = 0; i < HAFT_EVENTS; i++) {
		if ((int)tool_event_types[i].group != cat_index)
			continue;
		if (n < len)
			indices[n] = i;
		n++;
	}
	return n;
}

int tool_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len,
	int *num_cvars, int *num_pvars, int *num_categories)
{
	int err = category_bad(cat_index);

	if (err != 0)
		return err;
	tool_text(categories[cat_index].name, name, name_len);
	tool_text(categories[cat_index].meaning, desc, desc_len);
	tool_tell(num_cvars, cat_index == TOOL_SETTINGS ? SETTING_COUNT : 0);
	tool_tell(num_pvars, category_pvars(cat_index, 0, NULL));
	tool_tell(num_categories, 0);
	return 0;
}

int tool_category_get_num_events(int cat_index, int *num_events)
{
	int err = category_bad(cat_index);

	if (err == 0)
		*num_events = category_events(cat_index, 0, NULL);
	return err;
}

int tool_category_get_index(const char *name, int *cat_index)
{
	for (int i = 0; i < TOOL_CATEGORIES; i++) {
		if (strcmp(categories[i].name, name) == 0) {
			*cat_index = i;
			return 0;
		}
	}
	return haft_err(MPI_T_ERR_INVALID_NAME, "there is no category %s", name);
}

/* Is there such a category, and room for its members? */
static int category_members(int cat_index, int len, const int indices[])
{
	int err = category_bad(cat_index);

	if (err == 0 && (len < 0 || (len > 0 && indices == NULL)))
		err = haft_err(MPI_T_ERR_INVALID, "%d numbers cannot be written to %s", len,
			indices == NULL ? "NULL" : "an array");
	return err;
}

int tool_category_get_cvars(int cat_index, int len, int indices[])
{
	int err = category_members(cat_index, len, indices);

	if (err != 0 || cat_index != TOOL_SETTINGS)
		return err;
	for (int i = 0; i < SETTING_COUNT && i < len; i++)
		indices[i] = i;
	return 0;
}

int tool_category_get_pvars(int cat_index, int len, int indices[])
{
	int err = category_members(cat_index, len, indices);

	if (err == 0)
		category_pvars(cat_index, len, indices);
	return err;
}

int tool_category_get_events(int cat_index, int len, int indices[])
{
	int err = category_members(cat_index, len, indices);

	if (err == 0)
		category_events(cat_index, len, indices);
	return err;
}

int tool_category_get_categories(int cat_index, int len, int indices[])
{
	return category_members(cat_index, len, indices);
}

int tool_category_changed(int *update_number)
{
	*update_number = 0;
	return 0;
}
