// SPDX-License-Identifier: BSD-3-Clause
/* tool_class.c - the classes of handles.  They are libobj's, in a domain of their own, so that the
 * leak report does not show them. */
#include "libmpi/core/err.h"
#include "libmpi/tool/tool.h"
#include "libmpi/type/type.h"

struct obj_class tool_enum_class, tool_cvar_class, tool_session_class, tool_pvar_class,
	tool_registration_class;

static struct obj_domain *domain;

static const struct {
	struct obj_class *cls;
	const char *name;
	size_t size;
} classes[] = {
	{&tool_enum_class, "MPI_T_enum", TOOL_ENUM_BYTES},
	{&tool_cvar_class, "MPI_T_cvar_handle", sizeof(struct tool_cvar)},
	{&tool_session_class, "MPI_T_pvar_session", sizeof(struct tool_session)},
	{&tool_pvar_class, "MPI_T_pvar_handle", sizeof(struct tool_pvar)},
	{&tool_registration_class, "MPI_T_event_registration", sizeof(struct tool_registration)},
};

/* Opens the datatypes, too: variables name theirs before MPI_Init. */
int tool_classes_open(void)
{
	struct obj_domain_opts opts = {.size = sizeof(opts), .name = "MPI_T"};
	int err = domain == NULL ? obj_domain_open(&domain, &opts) : OBJ_OK;

	for (size_t i = 0; i < countof(classes) && err == OBJ_OK; i++) {
		struct obj_class_desc d = {
			.size = sizeof(d), .name = classes[i].name, .obj_size = classes[i].size};

		if (classes[i].cls->domain == NULL)
			err = obj_class_open(classes[i].cls, domain, &d);
	}
	if (err != OBJ_OK || haft_objects_open() != 0 || type_open() != 0)
		return haft_err(MPI_T_ERR_CANNOT_INIT, "no memory for the tables of handles");
	return 0;
}
