// SPDX-License-Identifier: BSD-3-Clause
/* genmod.c - writes the modules mpi and mpi_f08: constants, types, an interface for each procedure.
 *
 *     module mpi       MPI_SEND        ──> mpi_send_fts_           INTEGER handles
 *                      MPI_COMM_SIZE   ──> mpi_comm_size_
 *     module mpi_f08   MPI_Send ──┬──> mpi_send_f08ts_           TYPE(MPI_Comm), optional ierror
 *                                 └──> mpi_send_c_f08ts_         the same name with large counts
 *
 * No procedure has a body: libmpifort_abi has them, so a module is compiled for another compiler
 * without being linked.  Procedures with choice buffers are BIND(C), because only those get the
 * descriptors of ISO_Fortran_binding.h; CHARACTERs of all others come with hidden lengths. */
#include "libmpi/api/genfort.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 100 /* columns of a line in free form */

/* Which module, and which form of a procedure. */
struct view {
	struct entry e;
	bool f08;
	const char *prefix; /* "" or "P" */
	bool cptr;          /* module mpi: BASEPTR as a C_PTR */
	bool nongeneric;    /* no generic name: called as MPI_Send, whatever the linker calls it */
	bool page;          /* for a man page: as the standard writes it, without BIND(C) */
};

/* --- pieces --------------------------------------------------------------------------------- */

/* Writes the text with continuation lines. */
static void mod_lines_write(const struct text *t, FILE *out)
{
	const char *s = t->s;

	while (strlen(s) > WIDTH) {
		size_t cut = 0;

		for (size_t i = 0; i < WIDTH - 2; i++)
			if (s[i] == ' ' && i > 0 && s[i - 1] == ',')
				cut = i;
		if (cut == 0)
			break;
		fprintf(out, "%.*s &\n        ", (int)cut, s);
		s += cut + 1;
	}
	fprintf(out, "%s\n", s);
}

static bool mod_is_bind(const struct view *v);

/* A CHARACTER of a BIND(C) procedure is any scalar to its interface: not all compilers give a
 * descriptor to one that is declared (gfortran 11). */
static struct fort_type type_of(const struct view *v, const struct param *p)
{
	const struct fortran *f = &fortran[p->kind];

	if (f->old.word == FORT_TEXT && mod_is_bind(v))
		return (struct fort_type){FORT_TEXT_ANY, NULL};
	if (!v->f08 && v->cptr && p->kind == KIND_BASE_OUT)
		return (struct fort_type){FORT_CPTR, NULL};
	if (!v->f08)
		return f->old;
	return v->e.large || (v->e.f->flags & C_FORM) ? f->large : f->small;
}

static const struct {
	const char *fortran, *shape;
} words[] = {
	[FORT_INT] = {"INTEGER", ""},
	[FORT_COUNT] = {"INTEGER(KIND=MPI_COUNT_KIND)", ""},
	[FORT_ADDR] = {"INTEGER(KIND=MPI_ADDRESS_KIND)", ""},
	[FORT_OFFS] = {"INTEGER(KIND=MPI_OFFSET_KIND)", ""},
	[FORT_BOOL] = {"LOGICAL", ""},
	[FORT_TEXT] = {"CHARACTER(LEN=*)", ""},
	[FORT_TEXT_ANY] = {"TYPE(*), DIMENSION(..)", ""},
	[FORT_REAL_8] = {"DOUBLE PRECISION", ""},
	[FORT_CPTR] = {"TYPE(C_PTR)", ""},
	[FORT_CHOICE] = {"TYPE(*), DIMENSION(..)", ""},
	[FORT_STATUS] = {"INTEGER", "(MPI_STATUS_SIZE)"},
	[FORT_STATUSES] = {"INTEGER", "(MPI_STATUS_SIZE, *)"},
};

/* Adds a type.  Returns the shape that goes with it. */
static const char *type_add(struct text *t, struct fort_type type)
{
	switch (type.word) {
	case FORT_NONE: abort();
	case FORT_TYPE: text_add(t, "TYPE(%s)", type.name); return "";
	case FORT_CALLBACK:
		if (type.name != NULL)
			text_add(t, "PROCEDURE(%s)", type.name);
		else
			text_add(t, "EXTERNAL");
		return "";
	default: text_add(t, "%s", words[type.word].fortran); return words[type.word].shape;
	}
}

/* Is the memory in use after the call, or before it? */
static bool mod_asynchronous(const struct view *v, const struct param *p)
{
	const struct func *f = v->e.f;
	enum how how = kinds[p->kind].how;

	if (type_of(v, p).word != FORT_CHOICE)
		return v->f08 && fort_later(f) && p->dir == IN &&
		       (how == ARRAY || how == ARRAY_WIDE || how == LIST);
	if (fortran[p->kind].how == F_ADDRESS || fort_later(f) || func_has(f, KIND_WIN))
		return true;
	/* the two halves of a split collective: the first has no status, the second no count */
	return func_has(f, KIND_FILE) &&
	       (!func_has(f, KIND_STATUS_OUT) || !func_has(f, KIND_COUNT));
}

/* The intent.  The row of a function is more exact than that of the kind about IN and INOUT.
 * Module mpi says only INTENT(INOUT): programs of MPI-1 may rely on results that are not written
 * (19.1.3). */
static const char *intent(const struct view *v, const struct param *p)
{
	const char *s = fortran[p->kind].intent;

	if (p->dir == IN && strcmp(s, "INTENT(INOUT)") == 0)
		s = "INTENT(IN)";
	if (p->dir == INOUT && strcmp(s, "INTENT(OUT)") == 0)
		s = "INTENT(INOUT)";
	if (v->f08)
		return s;
	return strcmp(s, "INTENT(OUT)") == 0 || strcmp(s, "INTENT(INOUT)") == 0 ? "INTENT(INOUT)"
										: "";
}

static void param_write(FILE *out, const struct view *v, const struct param *p)
{
	const struct fortran *f = &fortran[p->kind];
	struct text t;
	const char *shape;
	bool callback = fort_callback(v->e.f);

	text_clear(&t);
	text_add(&t, "      ");
	shape = type_add(&t, type_of(v, p));
	if (type_of(v, p).word != FORT_CALLBACK) {
		if (strcmp(f->intent, "VALUE") == 0 && v->f08)
			text_add(&t, ", VALUE");
		else if (intent(v, p)[0] != '\0' && !callback)
			text_add(&t, ", %s", intent(v, p));
		if (mod_asynchronous(v, p))
			text_add(&t, ", ASYNCHRONOUS");
	}
	text_add(&t, " :: %s%s", p->name, shape[0] != '\0' ? shape : f->shape);
	mod_lines_write(&t, out);
}

/* The name of the specific procedure: MPI_Send_f08ts, MPI_Send_fts, MPI_Comm_size. */
static void mod_name_add(struct text *t, const struct view *v)
{
	bool choice = fort_choice(v->e.f);
	const char *suffix = v->f08 ? (choice ? "_f08ts" : "_f08") : "";

	if (!v->f08 && (choice || func_has(v->e.f, KIND_ADDR_OUT)))
		suffix = "_fts";
	if (v->cptr)
		suffix = "_cptr";
	if (fort_callback(v->e.f) || v->page)
		suffix = "";
	text_add(t, "%s%s%s", v->prefix, v->e.name, suffix);
}

static bool mod_is_bind(const struct view *v)
{
	if (v->page)
		return false;
	return fort_choice(v->e.f) || (!v->f08 && func_has(v->e.f, KIND_ADDR_OUT));
}

static void head_write(FILE *out, const struct view *v)
{
	const struct func *f = v->e.f;
	const char *sep = "";
	struct text t, name, symbol;

	text_clear(&t);
	text_clear(&name);
	text_clear(&symbol);
	mod_name_add(&symbol, v);
	if (v->nongeneric)
		text_add(&name, "%s%s", v->prefix, v->e.name);
	else
		mod_name_add(&name, v);
	text_add(&t, "    ");
	if (f->ret == KIND_INT)
		text_add(&t, "SUBROUTINE");
	else {
		type_add(&t, fortran[f->ret].small);
		text_add(&t, " FUNCTION");
	}
	text_add(&t, " %s(", name.s);
	for (int i = 0; i < f->nparam; i++) {
		if (!fort_shown(&f->param[i]))
			continue;
		text_add(&t, "%s%s", sep, f->param[i].name);
		sep = ", ";
	}
	if (fort_ierror(f))
		text_add(&t, "%sierror", sep);
	if (mod_is_bind(v)) {
		text_add(&t, ") BIND(C, NAME=\"");
		text_lower(&t, symbol.s);
		text_add(&t, "_\")");
	} else {
		text_add(&t, ")");
	}
	mod_lines_write(&t, out);
}

static void params_write(FILE *out, const struct view *v)
{
	const struct func *f = v->e.f;
	bool callback = fort_callback(f);

	for (int i = 0; i < f->nparam; i++)
		if (fort_shown(&f->param[i]))
			param_write(out, v, &f->param[i]);
	if (fort_ierror(f))
		fputs(callback   ? "      INTEGER :: ierror\n"
			: v->f08 ? "      INTEGER, OPTIONAL, INTENT(OUT) :: ierror\n"
				 : "      INTEGER, INTENT(INOUT) :: ierror\n",
			out);
}

static void procedure_write(FILE *out, const struct view *v)
{
	head_write(out, v);
	fputs("      IMPORT\n", out);
	params_write(out, v);
	fprintf(out, "    END %s\n", v->e.f->ret == KIND_INT ? "SUBROUTINE" : "FUNCTION");
}

/* --- generic names -------------------------------------------------------------------------- */

static bool mod_has_callback(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++)
		if (fortran[f->param[i].kind].small.word == FORT_CALLBACK)
			return true;
	return false;
}

/* Integers of 8 bytes are one kind, whatever they are called. */
static enum fort_word mod_kind_word(struct fort_type type)
{
	return type.word == FORT_COUNT || type.word == FORT_OFFS ? FORT_ADDR : type.word;
}

/* Can a compiler tell the large form from the small one? */
static bool mod_large_differs(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++) {
		const struct fortran *k = &fortran[f->param[i].kind];

		if (fort_shown(&f->param[i]) && mod_kind_word(k->small) != mod_kind_word(k->large))
			return true;
	}
	return false;
}

/* The row of NAME_c that has parameters of its own, or NULL. */
static const struct func *mod_large_row(const struct func *f)
{
	char name[80];

	snprintf(name, sizeof(name), "%s_c", f->name);
	for (const struct func *g = funcs; g < funcs + nfuncs; g++)
		if ((g->flags & C_FORM) && strcmp(g->name, name) == 0)
			return g;
	return NULL;
}

static void entry_small(struct view *v, const struct func *f)
{
	v->e = (struct entry){.f = f};
	snprintf(v->e.name, sizeof(v->e.name), "%s", f->name);
}

static void f08_generic(FILE *out, const struct func *f, const char *prefix)
{
	struct view v = {.f08 = true, .prefix = prefix};
	const struct func *g = mod_large_row(f);

	fprintf(out, "  INTERFACE %s%s\n", prefix, f->name);
	entry_small(&v, f);
	procedure_write(out, &v);
	if ((f->flags & BIG) && mod_large_differs(f)) {
		v.e.large = true;
		snprintf(v.e.name, sizeof(v.e.name), "%s_c", f->name);
		procedure_write(out, &v);
	}
	if (g != NULL && !mod_has_callback(g) && !fort_callback(g)) {
		entry_small(&v, g);
		procedure_write(out, &v);
	}
	fputs("  END INTERFACE\n", out);
}

static void single_interface(FILE *out, const struct func *f, const char *prefix, bool f08)
{
	struct view v = {.f08 = f08, .prefix = prefix};

	fputs("  INTERFACE\n", out);
	entry_small(&v, f);
	procedure_write(out, &v);
	fputs("  END INTERFACE\n", out);
}

static bool mod_has_handle(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++)
		if (kinds[f->param[i].kind].class != NOCLASS)
			return true;
	return false;
}

/* As module mpi has it; if it takes a handle, then also with the handle of mpi_f08. */
static void old_generic(FILE *out, const struct func *f, const char *prefix)
{
	struct view v = {.f08 = true, .prefix = prefix};

	if (!mod_has_handle(f) || fort_callback(f)) {
		single_interface(out, f, prefix, false);
		return;
	}
	fprintf(out, "  INTERFACE %s%s\n", prefix, f->name);
	entry_small(&v, f);
	procedure_write(out, &v);
	v.f08 = false;
	procedure_write(out, &v);
	fputs("  END INTERFACE\n", out);
}

static void f08_interfaces(FILE *out, const char *prefix)
{
	for (const struct func *f = funcs; f < funcs + nfuncs; f++) {
		bool own = !(f->flags & C_FORM) || mod_has_callback(f) || fort_callback(f);

		if (!in_fortran(f) || !own || (f->flags & REMOVED))
			continue;
		if (f->flags & OLD_F08)
			old_generic(out, f, prefix);
		else if (fort_callback(f))
			single_interface(out, f, prefix, true);
		else
			f08_generic(out, f, prefix);
	}
}

/* A name is generic only where two procedures share it: through a generic name an element of an
 * array does not stand for the elements behind it, and programs of MPI-1 give status(1, i),
 * counts(1). */
static void old_interfaces(FILE *out, const char *prefix)
{
	for (const struct func *f = funcs; f < funcs + nfuncs; f++) {
		bool generic = func_has(f, KIND_BASE_OUT);
		struct view v = {.prefix = prefix, .nongeneric = !generic};

		if (!in_fortran(f) || (f->flags & C_FORM))
			continue;
		if (generic)
			fprintf(out, "  INTERFACE %s%s\n", prefix, f->name);
		else
			fputs("  INTERFACE\n", out);
		entry_small(&v, f);
		procedure_write(out, &v);
		v.cptr = func_has(f, KIND_BASE_OUT);
		if (v.cptr)
			procedure_write(out, &v);
		fputs("  END INTERFACE\n", out);
	}
}

/* --- man pages ------------------------------------------------------------------------------ */

static void page_procedure(FILE *out, const struct view *v)
{
	head_write(out, v);
	params_write(out, v);
}

static void page_f08(FILE *out, const struct func *f)
{
	struct view v = {.f08 = !(f->flags & OLD_F08), .prefix = "", .page = true};

	fputs("\nUSE mpi_f08\n", out);
	entry_small(&v, f);
	page_procedure(out, &v);
	if (!v.f08 || !(f->flags & BIG) || !mod_large_differs(f))
		return;
	fputs("\n    ! with large counts, by the same name\n", out);
	v.e.large = true;
	page_procedure(out, &v);
}

void fort_synopsis(FILE *out, const struct func *f)
{
	struct view v = {.prefix = "", .page = true};

	if (!in_fortran(f) || fort_callback(f))
		return;
	if (!(f->flags & REMOVED))
		page_f08(out, f);
	if (f->flags & C_FORM)
		return;
	fputs("\nUSE mpi      ! or INCLUDE 'mpif.h'\n", out);
	entry_small(&v, f);
	page_procedure(out, &v);
}

/* --- module mpi ----------------------------------------------------------------------------- */

static const char promises[] =
	"      LOGICAL, PARAMETER :: MPI_SUBARRAYS_SUPPORTED = .TRUE.\n"
	"      LOGICAL, PARAMETER :: MPI_ASYNC_PROTECTS_NONBLOCKING = .TRUE.\n";

/* Procedures that only Fortran has. */
static void extras_write(FILE *out, const char *prefix, bool f08)
{
	fprintf(out,
		"  INTERFACE %1$sMPI_F_sync_reg\n"
		"    SUBROUTINE %1$sMPI_F_sync_reg_%2$s(buf) BIND(C, "
		"NAME=\"%3$smpi_f_sync_reg_%2$s_\")\n"
		"      TYPE(*), DIMENSION(..), ASYNCHRONOUS :: buf\n"
		"    END SUBROUTINE\n"
		"  END INTERFACE\n",
		prefix, f08 ? "f08ts" : "fts", prefix[0] != '\0' ? "p" : "");
	fprintf(out,
		"  INTERFACE %1$sMPI_Sizeof\n"
		"    SUBROUTINE %1$sMPI_Sizeof_%2$s(x, size, ierror) "
		"BIND(C, NAME=\"%3$smpi_sizeof_fts_\")\n"
		"      TYPE(*), DIMENSION(..) :: x\n"
		"      INTEGER, INTENT(OUT) :: size\n"
		"      INTEGER, %4$sINTENT(OUT) :: ierror\n"
		"    END SUBROUTINE\n"
		"  END INTERFACE\n",
		prefix, f08 ? "f08ts" : "fts", prefix[0] != '\0' ? "p" : "",
		f08 ? "OPTIONAL, " : "");
}

static void mod_types_write(FILE *out)
{
	fputs("\n  TYPE, BIND(C) :: MPI_Status\n"
	      "    INTEGER :: MPI_SOURCE\n"
	      "    INTEGER :: MPI_TAG\n"
	      "    INTEGER :: MPI_ERROR\n"
	      "    INTEGER :: MPI_INTERNAL(5)\n"
	      "  END TYPE\n",
		out);
	for (int i = 0; i < NOCLASS; i++)
		fprintf(out,
			"  TYPE, BIND(C) :: %s\n"
			"    INTEGER :: MPI_VAL\n"
			"  END TYPE\n",
			classes[i].type);
}

static void operators_write(FILE *out)
{
	static const char *const ops[][2] = {{"==", "eq"}, {"/=", "ne"}};

	for (int o = 0; o < 2; o++) {
		fprintf(out, "  INTERFACE OPERATOR(%s)\n", ops[o][0]);
		for (int i = 0; i < NOCLASS; i++)
			fprintf(out,
				"    ELEMENTAL LOGICAL FUNCTION MPI_Fort_%1$s_%2$s(a, b)\n"
				"      IMPORT\n"
				"      TYPE(%3$s), INTENT(IN) :: a, b\n"
				"    END FUNCTION\n",
				classes[i].object, ops[o][1], classes[i].type);
		fputs("  END INTERFACE\n", out);
	}
}

/* Kinds, types and operators: both modules use one set of entities. */
static void mod_base_write(FILE *out)
{
	fputs("MODULE mpi_fort_types\n"
	      "  IMPLICIT NONE\n",
		out);
	fort_kinds(out);
	fputs(promises, out);
	mod_types_write(out);
	operators_write(out);
	fputs("END MODULE mpi_fort_types\n\n", out);
}

void write_mpi_mod(FILE *out)
{
	fputs("! SPDX-License-Identifier: BSD-3-Clause\n"
	      "! mpi.f90 - MPI 5.0, module mpi.\n"
	      "! Written by the generator in libmpi/api: change its tables, not this.\n",
		out);
	mod_base_write(out);
	fputs("MODULE mpi\n"
	      "  USE mpi_fort_types\n"
	      "  USE, INTRINSIC :: ISO_C_BINDING, ONLY: C_PTR\n"
	      "  IMPLICIT NONE\n"
	      "  PRIVATE :: C_PTR\n",
		out);
	fort_constants(out);
	fputs(fort_commons, out);
	for (int p = 0; p < 2; p++) {
		old_interfaces(out, p ? "P" : "");
		extras_write(out, p ? "P" : "", false);
	}
	fputs("END MODULE mpi\n", out);
}

/* --- module mpi_f08 ------------------------------------------------------------------------- */

static void mod_constants_write(FILE *out)
{
	const struct constant *same;

	for (int i = 0; i < nerrors; i++)
		if (errors[i].of != ERROR_OF_TOOL)
			fprintf(out, "  INTEGER, PARAMETER :: %s = %d\n", errors[i].name,
				errors[i].value);
	for (const struct constant *c = constants; c < constants + nconstants; c++) {
		if (!fort_constant_shown(c))
			continue;
		same = c;
		for (const struct constant *d = constants; c->what == C_SAME && d < c; d++)
			if (strcmp(d->name, c->type) == 0)
				same = d;
		if (same->what == C_HANDLE)
			fprintf(out, "  TYPE(%1$s), PARAMETER :: %2$s = %1$s(%3$d)\n",
				classes[same->class].type, c->name, same->value);
		else
			fprintf(out, "  INTEGER%s, PARAMETER :: %s = %d\n",
				c->what == C_OFFSET ? "(KIND=MPI_OFFSET_KIND)" : "", c->name,
				fort_constant_value(same));
	}
}

static const char f08_commons[] =
	"\n"
	"  INTEGER, TARGET :: MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC\n"
	"  INTEGER :: MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)\n"
	"  TYPE(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)\n"
	"  COMMON /MPI_FORT_ADDR/ MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC, &\n"
	"    MPI_ERRCODES_IGNORE, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_STATUS_IGNORE, &\n"
	"    MPI_STATUSES_IGNORE\n"
	"  CHARACTER(LEN=1) :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)\n"
	"  COMMON /MPI_FORT_TEXT/ MPI_ARGV_NULL, MPI_ARGVS_NULL\n"
	"  SAVE :: /MPI_FORT_ADDR/, /MPI_FORT_TEXT/\n";

/* An abstract interface; `lines' are its declarations. */
static void mod_callback_write(FILE *out, const char *name, const char *args, const char *lines)
{
	struct text t;

	text_clear(&t);
	text_add(&t, "    SUBROUTINE %s(%s)", name, args);
	mod_lines_write(&t, out);
	fputs("      IMPORT\n", out);
	for (size_t n; *lines != '\0'; lines += n + 1) {
		n = strcspn(lines, "\n");
		fprintf(out, "      %.*s\n", (int)n, lines);
	}
	fputs("    END SUBROUTINE\n", out);
}

static void mod_callbacks_write(FILE *out)
{
	static const struct {
		const char *name, *args, *lines;
	} rows[] = {
#define CALLBACK(ret, name, c_args, args, lines) {#name, args, lines},
#include "libmpi/api/callbacks.def"
#undef CALLBACK
	};

	fputs("\n  ABSTRACT INTERFACE\n", out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].args[0] != '\0')
			mod_callback_write(out, rows[i].name, rows[i].args, rows[i].lines);
	fputs("  END INTERFACE\n", out);
}

void write_f08_mod(FILE *out)
{
	fputs("! SPDX-License-Identifier: BSD-3-Clause\n"
	      "! mpi_f08.f90 - MPI 5.0, module mpi_f08.\n"
	      "! Written by the generator in libmpi/api: change its tables, not this.\n"
	      "MODULE mpi_f08\n"
	      "  USE mpi_fort_types\n"
	      "  USE, INTRINSIC :: ISO_C_BINDING, ONLY: C_PTR\n"
	      "  IMPLICIT NONE\n"
	      "  PRIVATE :: C_PTR\n",
		out);
	mod_constants_write(out);
	fputs(f08_commons, out);
	mod_callbacks_write(out);
	for (int p = 0; p < 2; p++) {
		f08_interfaces(out, p ? "P" : "");
		extras_write(out, p ? "P" : "", true);
	}
	fputs("END MODULE mpi_f08\n", out);
}
