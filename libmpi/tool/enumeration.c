// SPDX-License-Identifier: BSD-3-Clause
/* enumeration.c - enumerations (MPI-5.0 15.3.5): values of MPI_INT with names.
 *
 *     a setting of one word    its words, in the order of the table of settings
 *     function                 the functions of MPI, and none
 *     a type of events         its elements */
#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/tool/tool.h"
#include <assert.h>
#include <engine.h>
#include <names.h>

/* An enumeration, by its number: settings come first. */
struct tool_enum {
	struct obj o;
	int number;
};

enum { ENUM_FUNCTION = SETTING_COUNT, ENUM_EVENT, ENUMS = ENUM_EVENT + HAFT_EVENTS };

static_assert(sizeof(struct tool_enum) <= TOOL_ENUM_BYTES, "room for an object");

static struct tool_enum *enums[ENUMS]; /* NULL: that setting has no words */

int tool_enums_open(void)
{
	for (int i = 0; i < ENUMS; i++) {
		if (enums[i] != NULL ||
			(i < SETTING_COUNT && haft_setting_row(i)->form != SETTING_WORD) ||
			(i >= ENUM_EVENT && tool_event_types[i - ENUM_EVENT].elements == 0))
			continue;
		enums[i] = obj_new(&tool_enum_class, NULL);
		if (enums[i] == NULL)
			return haft_err(MPI_T_ERR_MEMORY, "no memory for an enumeration");
		enums[i]->number = i;
	}
	return 0;
}

static MPI_T_enum enum_handle(int number)
{
	return enums[number] != NULL ? (MPI_T_enum)obj_handle(enums[number]) : MPI_T_ENUM_NULL;
}

MPI_T_enum tool_enum_of_setting(int row)
{
	return enum_handle(row);
}

MPI_T_enum tool_enum_of_functions(void)
{
	return enum_handle(ENUM_FUNCTION);
}

MPI_T_enum tool_enum_of_event(enum haft_event e)
{
	return enum_handle(ENUM_EVENT + (int)e);
}

static int enum_find(MPI_T_enum handle, int *number)
{
	const struct tool_enum *e = obj_get(&tool_enum_class, (obj_h)handle);

	if (e == NULL)
		return haft_err(MPI_T_ERR_INVALID_HANDLE, "this is no enumeration");
	*number = e->number;
	return 0;
}

static int enum_size(int number)
{
	int n = 0;

	if (number == ENUM_FUNCTION)
		return HAFT_FNS;
	if (number >= ENUM_EVENT)
		return tool_event_types[number - ENUM_EVENT].elements;
	while (n < SETTING_WORDS_MAX && haft_setting_row(number)->words[n] != NULL)
		n++;
	return n;
}

static const char *enum_name(int number)
{
	if (number >= ENUM_EVENT)
		return tool_event_types[number - ENUM_EVENT].name;
	return number == ENUM_FUNCTION ? "function" : haft_setting_row(number)->name;
}

static const char *enum_item(int number, int i)
{
	if (number >= ENUM_EVENT)
		return tool_event_types[number - ENUM_EVENT].element[i].name;
	if (number != ENUM_FUNCTION)
		return haft_setting_row(number)->words[i];
	return i == HAFT_FN_NONE ? "none" : bind_fn_names[i];
}

int tool_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
	int number, err = enum_find(enumtype, &number);

	if (err != 0)
		return err;
	tool_tell(num, enum_size(number));
	tool_text(enum_name(number), name, name_len);
	return 0;
}

int tool_enum_get_item(MPI_T_enum enumtype, int index, int *value, char *name, int *name_len)
{
	int number, err = enum_find(enumtype, &number);

	if (err != 0)
		return err;
	if (index < 0 || index >= enum_size(number))
		return tool_bad_index("item", index, enum_size(number));
	tool_tell(value, index);
	tool_text(enum_item(number, index), name, name_len);
	return 0;
}
