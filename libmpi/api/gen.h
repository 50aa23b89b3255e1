// SPDX-License-Identifier: BSD-3-Clause
/* gen.h - the generator's view of the tables.
 *
 *     *.def ──(the compiler is the parser)──> arrays of the structs below ──> one writer an output
 *
 *     gen mpi.h | mpi-ext.h | engine.h | raw.h | names.h | names.c | map | list
 *     gen abi.c | none.c | garbage.c | mpif.h | mpi.f90 | mpi_f08.f90 | qmpi.h | qmpi_own.c
 *     gen bind CHAPTER | qmpi CHAPTER | fort CHAPTER | man DIR | classes.7
 *
 * The generator knows kinds, checks and flags; it knows no function by name.  It is a program of
 * the build machine: its output goes to stdout, man pages to files of DIR. */
#ifndef HAFT_API_GEN_H
#define HAFT_API_GEN_H

#include <stdbool.h>
#include <stdio.h>

#define COLUMNS    96 /* where generated lists of arguments are broken */
#define PARAMS_MAX 32 /* parameters of one function; MPI's longest has 16 */

/* How a parameter gets from the user to the engine. */
enum how {
	PASS,        /* unchanged */
	WIDEN,       /* an integer of any width becomes int64_t */
	OBJ,         /* a handle becomes its object */
	OBJ_COUNTED, /* OBJ, or the null handle where the count before it is 0 */
	OBJ_NULL,    /* OBJ, and the null handle becomes NULL */
	OBJ_NEW,     /* the engine's new object becomes a handle */
	OBJ_ROOM,    /* OBJ_NEW, if the user has given a variable; else nothing is made */
	OBJ_VAR, /* the variable of a handle: object in, null handle out if the engine says so */
	OBJ_VAR_NULL,   /* OBJ_VAR, and the null handle becomes NULL */
	OBJ_ARRAY,      /* an array of handles, null ones too, through a scratch copy */
	OBJ_ARRAY_IO,   /* OBJ_ARRAY, and ended ones become null handles */
	OBJ_ARRAY_LIVE, /* OBJ_ARRAY_IO without null handles */
	OBJ_ARRAY_NEW,  /* the engine fills an array of objects */
	LIST,           /* an array of handles that the engine reads one by one */
	ARRAY,          /* struct haft_counts, wide in the _c form */
	ARRAY_WIDE,     /* struct haft_counts, always wide */
	NARROW,         /* an int64_t result becomes the user's integer */
	NARROW_IO       /* NARROW, with a value going in */
};

enum dir { IN, OUT, INOUT };

/* How a parameter gets from Fortran to the C function (libmpi/fort/glue.h). */
enum fort {
	F_NONE = 1, /* Fortran does not have functions with such a parameter */
	F_DROP,     /* Fortran has no such parameter, and C needs none */
	F_NULL,     /* Fortran has none, and C gets 0 or NULL */
	F_HAND,     /* the whole function is in libmpi/fort, by hand */
	F_VALUE,    /* by reference there, by value here */
	F_PASS,     /* by its address, in C too */
	F_INT,      /* an INTEGER there, wider here */
	F_INT_OUT,
	F_INTS,
	F_HANDLE,
	F_HANDLE_OUT,
	F_HANDLE_IO,
	F_HANDLES, /* arrays, as long as the length before them says */
	F_HANDLES_IO,
	F_HANDLES_OUT,
	F_HANDLES_RANKS, /* as many as there are ranks on the other side, or neighbors */
	F_HANDLES_TO,
	F_HANDLES_FROM,
	F_CHOICE,    /* a choice buffer: by address or by descriptor */
	F_ADDRESS,   /* a choice buffer of which only the address matters */
	F_CPTR_OUT,  /* mpi_f08 alone gets the address */
	F_FLAG_OUT,  /* becomes a LOGICAL */
	F_INDEX_OUT, /* counts from 1 there */
	F_INDICES_OUT,
	F_WEIGHTS,
	F_STR,      /* trailing blanks do not count */
	F_STR_INFO, /* nor do leading ones */
	F_STR_OUT,
	F_STATUS,
	F_STATUSES
};

enum flags {
	BIG = 1,    /* has a _c form made of the same rows */
	C_FORM = 2, /* is a _c form with rows of its own */
	TOOL = 4, /* MPI_T_: no error handler is ever called; needs the tools interface, not MPI */
	ANYTIME = 8, /* before initialization and after finalization too */
	DEPRECATED = 16,
	REMOVED = 32, /* removed from MPI; not among the functions of the standard */
	RAW = 64,     /* the engine is a function of bind/ with the user's own types */
	FORM = 128,   /* the engine's last argument is `int large': the _c form was called */
	SITE = 512,   /* reports name the site of this call, also in Fortran */
	READ = 256,   /* takes no lock: it reads what never changes while its handles are valid,
			 or its engine sees to it */
	FILE_ERRORS = 2048, /* works on files: without one it raises on MPI_FILE_NULL (14.7) */
	OLD_F08 = 4096,     /* deprecated since MPI-2.0: mpi_f08 has it as module mpi (19.1.5) */
	STARTS = 8192,      /* starts the requests of its last parameter */
	QUICK = 1024, /* its usual case is inline in libmpi/bind/quick.h, its binding behind */
	ONCE = 16384  /* most processes call it once: HAFT_START (libobj/base.h) */
};

enum class_id {
#define CLASS(id, ...) CLASS_##id,
#include "libmpi/api/classes.def"
#undef CLASS
	NOCLASS
};

enum kind_id {
#define KIND(id, ...) KIND_##id,
#include "libmpi/api/kinds.def"
#undef KIND
	KINDS
};

struct kind {
	const char *name;
	const char *small, *large, *engine; /* declarators; % is the parameter's name */
	enum how how;
	enum class_id class;
	const char *check; /* of libmpi/bind/binding.h; "none" */
	const char *words;
};

/* Types in Fortran. */
enum fort_word {
	FORT_NONE,
	FORT_INT,
	FORT_COUNT,
	FORT_ADDR,
	FORT_OFFS,
	FORT_BOOL,
	FORT_TEXT,
	FORT_TEXT_ANY, /* text of a BIND(C) procedure: any scalar */
	FORT_REAL_8,
	FORT_CPTR,
	FORT_CHOICE,
	FORT_STATUS,
	FORT_STATUSES,
	FORT_TYPE,    /* a derived type, by its name */
	FORT_CALLBACK /* a procedure; with the name of its interface, or none */
};

struct fort_type {
	enum fort_word word;
	const char *name; /* or NULL */
};

/* A kind in Fortran: a row of fort.def. */
struct fortran {
	enum fort how;
	struct fort_type old, small, large; /* of mpif.h and mpi; of mpi_f08; of its large form */
	const char *intent, *shape;
};

struct class
{
	const char *id, *type, *label, *object, *null, *error, *words;
};

enum when_id {
	WHEN_ALWAYS,
#define WHEN(name, ranks, given) WHEN_##name,
#include "libmpi/api/whens.def"
#undef WHEN
};

/* When an argument is significant: a row of whens.def. */
struct when {
	const char *name;
	enum { RANKS_ONE, RANKS_MANY } ranks;
	enum { NOT_GIVEN, GIVEN } given;
};

struct param {
	enum dir dir;
	enum kind_id kind;
	enum when_id when; /* the condition under which it is significant */
	const char *name;
	const char *text;
};

struct func {
	const char *name, *section, *engine;
	const char *brief;
	enum kind_id ret;
	unsigned flags;
	int chapter;
	int nparam;
	struct param param[PARAMS_MAX];
};

/* Each check says how its parameter is related to the others. */
enum check_role {
	CHECK_ALONE,   /* nothing */
	CHECK_LENGTH,  /* it is the length of the arrays behind it */
	CHECK_COUNT,   /* it is the count of a CHECK_DATA behind it */
	CHECK_DATA,    /* it is the datatype of data that the function moves */
	CHECK_TAG,     /* it is the tag of a message that the function sends */
	CHECK_TARGET,  /* it is a rank of the window: data go there */
	CHECK_IN_COMM, /* this and those below: it is a rank of the communicator of the function */
	CHECK_DEST,    /* data go there */
	CHECK_SOURCE   /* data come from there */
};

struct check {
	const char *name, *error;
	enum check_role role;
	const char *words;
};

struct chapter {
	const char *file, *number, *title;
	enum { SINGLE, COLLECTIVE, NEIGHBORHOOD } calls;
	const char *topic; /* the page that explains it: ".BR" takes it; or "" */
};

enum error_of { ERROR_OF_MPI, ERROR_OF_TOOL, ERROR_OF_EXT };

struct error {
	const char *name, *text;
	int value;
	enum error_of of;
};

/* An error that the operation itself finds: a row of raises.def. */
struct raises {
	const char *function; /* or how its name begins, and a star */
	const char *error, *words;
};

/* A row of qmpi.def. */
struct qmpi_row {
	const char *function, *number; /* the number's name in enum QMPI_Functions_enum */
};

/* A row of remarks.def. */
struct remark {
	const char *function; /* as in struct raises */
	const char *words;
};

enum constant_what {
	C_TITLE,
	C_CONST,
	C_OFFSET, /* an integer of 8 bytes in Fortran */
	C_ONLY,   /* Fortran does not have it */
	C_EXT,    /* as C_CONST, in mpi-ext.h */
	C_ROOM,
	C_HANDLE,
	C_SAME,
	C_LATER
};

struct constant {
	enum constant_what what;
	const char *name, *type; /* C_TITLE: the words; C_SAME: type is the name it equals */
	int value;
	enum class_id class; /* C_HANDLE */
};

extern const struct kind kinds[];
extern const struct fortran fortran[]; /* by kind */
extern const struct class classes[];
extern const struct chapter chapters[];
extern const struct when whens[]; /* by enum when_id */
extern const struct check checks[];
extern const struct error errors[];
extern const struct constant constants[];
extern const struct raises raises[];
extern const struct remark remarks[];
extern const struct qmpi_row qmpi_rows[];
extern struct func *funcs; /* one a row; entry points are walked by entry_first/next */
extern int nfuncs, nchecks, nchapters, nerrors, nconstants, nraises, nremarks, nqmpi;

/* An entry point: a row in its small or in its _c form. */
struct entry {
	const struct func *f;
	bool large;
	char name[64];
};

/* Loads the rows into funcs, and checks that they are consistent; exits with words if not. */
void funcs_load(void);

/* The number of the chapter with this file; exits if there is none. */
int chapter_find(const char *file);

/* Is it an extension, which MPI does not have? */
bool chapter_extends(int chapter);

/* Walks all entry points, or those of one chapter (-1: all). */
bool entry_first(struct entry *e, int chapter);
bool entry_next(struct entry *e, int chapter);

/* A row whose engine is named NONE. */
bool has_engine(const struct func *f);

/* The name of the number by which tools register the function (haft/qmpi.h); NULL: they cannot, for
 * it is a predefined callback. */
const char *qmpi_number(const struct entry *e);

/* Has the function a parameter of this kind? */
bool func_has(const struct func *f, enum kind_id kind);

/* Is a row of this function, or these functions if it ends with a star, of f? */
bool row_of(const char *function, const struct func *f);

/* Does Fortran have the function? */
bool in_fortran(const struct func *f);

/* Does the call make or end objects, other than requests unless they count too?  Then they are told
 * where it came from. */
bool makes_objects(const struct func *f, bool requests);

/* The role of the check of a kind. */
enum check_role check_role_of(const struct kind *k);

/* The parameter that says how long the array p is, or NULL. */
const struct param *length_param(const struct func *f, const struct param *p);

/* The C declarator of a parameter of the entry point. */
const char *declarator(const struct entry *e, const struct param *p);

/* Text that is collected, then written with breaks at spaces after commas. */
struct text {
	char s[8192];
	size_t n;
};

/* Empties the text, and appends to it; a text that is too long ends gen. */
void text_clear(struct text *t);
void text_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a declarator with its % replaced by `name'. */
void text_declare(struct text *t, const char *declarator, const char *name);
/* Adds "TYPE PREFIXname(TYPE a, ...)". */
void text_prototype(struct text *t, const struct entry *e, const char *prefix);
/* Adds "TYPE NAME(FIRST, TYPE a, ...)"; first: parameters before those of the function, or "". */
void text_signature(struct text *t, const struct entry *e, const char *name, const char *first);
/* Adds "FIRSTa, b": the names of the parameters, with first before them if there are any. */
void text_arguments(struct text *t, const struct entry *e, const char *first);
/* Writes the text broken at COLUMNS; lines after the first start with a tab. */
void text_write(const struct text *t, FILE *out);

/* Adds a name in lower case. */
void text_lower(struct text *t, const char *name);

/* Declares chain_x, which gives a call to the first tool. */
void qmpi_declare(FILE *out, const struct entry *e);

/* The prefix of the function that does what PMPI_x does without tools. */
const char *binding_inner(const struct entry *e);

/* The writers; they exit on errors. */
void write_fort(FILE *out, int chapter);
void write_mpif_h(FILE *out);
void write_mpi_mod(FILE *out);
void write_f08_mod(FILE *out);
void write_mpi_h(FILE *out);
void write_mpi_ext_h(FILE *out);
void write_engine_h(FILE *out);
void write_raw_h(FILE *out);
void write_names_h(FILE *out);
void write_names_c(FILE *out);
void write_bind(FILE *out, int chapter);
void write_qmpi(FILE *out, int chapter);
void write_qmpi_h(FILE *out);
void write_qmpi_own(FILE *out);
void write_map(FILE *out);
void write_list(FILE *out);
void write_man(const char *dir);
void write_classes_page(FILE *out);
void write_abi_test(FILE *out);
void write_none_test(FILE *out);
void write_garbage_test(FILE *out);
void write_count_test(FILE *out);
void write_tool_test(FILE *out);

#endif
