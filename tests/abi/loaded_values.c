// SPDX-License-Identifier: BSD-3-Clause
/* loaded_values.c - a program that knows MPI as packages of Julia or Python do: it has no mpi.h, it
 * loads the library and passes the numbers of values.tsv.  link.sh makes a header of it, which the
 * compiler reads first: a macro for each number, and the list VALUES of all.  np=2. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
#define H(value) ((handle)(intptr_t)(value))

struct status {
	int source, tag, error, rest[5];
};

static void *lib;
static int bad, rank;

static void *library_find(const char *name)
{
	void *at = dlsym(lib, name);

	if (at == NULL) {
		printf("no function %s\n", name);
		exit(1);
	}
	return at;
}

/* call("MPI_Comm_size", (handle, int *), comm, &n) */
#define call(name, types, ...) (((int(*) types)library_find(name))(__VA_ARGS__))

static void value_is(int true, const char *what)
{
	if (!true) {
		printf("rank %d: not true: %s\n", rank, what);
		bad = 1;
	}
}
#define IS(x)   value_is((x), #x)
#define OK(...) value_is(call(__VA_ARGS__) == MPI_SUCCESS, #__VA_ARGS__)

/* --- the names of the whole list ------------------------------------------------------------ */

/* The first of the names from which on a check holds, up to the next first one. */
static void value_error(const char *name, int value)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int class = -1, len = 0;

	if (value == MPI_ERR_LASTCODE) {
		OK("MPI_Add_error_class", (int *), &class);
		value_is(class > value, name);
		return;
	}
	OK("MPI_Error_class", (int, int *), value, &class);
	OK("MPI_Error_string", (int, char *, int *), value, text, &len);
	value_is(class == value && strncmp(text, name, strlen(name)) == 0 &&
			 text[strlen(name)] == ':',
		name);
}

static void value_type(const char *name, int value)
{
	char text[MPI_MAX_OBJECT_NAME] = "";
	int len = 0;
	int alias = value == MPI_LONG_LONG || value == MPI_C_FLOAT_COMPLEX; /* of two names */

	OK("MPI_Type_get_name", (handle, char *, int *), H(value), text, &len);
	value_is(alias || strcmp(text, name) == 0, name);
	value_is(call("MPI_Type_toint", (handle), H(value)) == value, name);
}

static void value_handler(const char *name, int value)
{
	handle now = NULL;

	if (value == MPI_ERRHANDLER_NULL)
		return;
	OK("MPI_Comm_set_errhandler", (handle, handle), H(MPI_COMM_SELF), H(value));
	OK("MPI_Comm_get_errhandler", (handle, handle *), H(MPI_COMM_SELF), &now);
	value_is(now == H(value), name);
}

/* The result of the operation for 12 and 10. */
static const struct {
	int op, result;
} results[] = {{MPI_SUM, 22}, {MPI_MIN, 10}, {MPI_MAX, 12}, {MPI_PROD, 120}, {MPI_BAND, 8},
	{MPI_BOR, 14}, {MPI_BXOR, 6}, {MPI_LAND, 1}, {MPI_LOR, 1}, {MPI_LXOR, 0}};

static void value_op(const char *name, int value)
{
	int in[2] = {12, 1}, io[2] = {10, 0};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].op == value) {
			OK("MPI_Reduce_local", (void *, void *, int, handle, handle), in, io, 1,
				H(MPI_INT), H(value));
			value_is(io[0] == results[i].result, name);
		}
	if (value != MPI_MINLOC && value != MPI_MAXLOC)
		return;
	OK("MPI_Reduce_local", (void *, void *, int, handle, handle), in, io, 1, H(MPI_2INT),
		H(value));
	value_is(io[0] == (value == MPI_MINLOC ? 10 : 12) && io[1] == (value == MPI_MAXLOC), name);
}

static void value_attribute(const char *name, int value)
{
	void *at = NULL;
	int set = -1;

	value_is(call("MPI_Comm_get_attr", (handle, int, void *, int *), H(MPI_COMM_WORLD), value,
			 &at, &set) == MPI_SUCCESS,
		name);
}

static void value_other(const char *name, int value)
{
	(void)name, (void)value;
}

static const struct {
	const char *first;
	void (*check)(const char *name, int value);
} parts[] = {
	{"MPI_SUCCESS", value_error},
	{"MPI_ARGVS_NULL", value_other},
	{"MPI_TAG_UB", value_attribute},
	{"MPI_WIN_BASE", value_other},
	{"MPI_DATATYPE_NULL", value_type},
	{"MPI_MESSAGE_NULL", value_other},
	{"MPI_ERRHANDLER_NULL", value_handler},
	{"MPI_INFO_NULL", value_other},
	{"MPI_SUM", value_op},
	{"MPI_GROUP_NULL", value_other},
};

static const struct {
	const char *name;
	long value;
} list[] = {VALUES};

static void value_list(void)
{
	size_t part = 0, n = sizeof(parts) / sizeof(parts[0]);

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (part + 1 < n && strcmp(list[i].name, parts[part + 1].first) == 0)
			part++;
		parts[part].check(list[i].name, (int)list[i].value);
	}
	IS(part == n - 1);
}

/* --- numbers whose meaning a call shows ----------------------------------------------------- */

/* A handle of a type shows its constructor, and is freed unless it is a predefined one. */
static void type_built(int combiner, handle type)
{
	int ints, addresses, types, found = -1;

	OK("MPI_Type_get_envelope", (handle, int *, int *, int *, int *), type, &ints, &addresses,
		&types, &found);
	IS(found == combiner);
	if (combiner != MPI_COMBINER_NAMED &&
		(combiner < MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_RESIZED))
		OK("MPI_Type_free", (handle *), &type);
}

static void value_combiners(void)
{
	handle i = H(MPI_INT), t = NULL;
	int one[1] = {1}, four[1] = {4}, zero[1] = {0};
	long at[1] = {0};

	type_built(MPI_COMBINER_NAMED, i);
	OK("MPI_Type_dup", (handle, handle *), i, &t);
	type_built(MPI_COMBINER_DUP, t);
	OK("MPI_Type_contiguous", (int, handle, handle *), 2, i, &t);
	type_built(MPI_COMBINER_CONTIGUOUS, t);
	OK("MPI_Type_vector", (int, int, int, handle, handle *), 2, 1, 2, i, &t);
	type_built(MPI_COMBINER_VECTOR, t);
	OK("MPI_Type_create_hvector", (int, int, long, handle, handle *), 2, 1, 8, i, &t);
	type_built(MPI_COMBINER_HVECTOR, t);
	OK("MPI_Type_indexed", (int, int *, int *, handle, handle *), 1, one, zero, i, &t);
	type_built(MPI_COMBINER_INDEXED, t);
	OK("MPI_Type_create_hindexed", (int, int *, long *, handle, handle *), 1, one, at, i, &t);
	type_built(MPI_COMBINER_HINDEXED, t);
	OK("MPI_Type_create_indexed_block", (int, int, int *, handle, handle *), 1, 1, zero, i, &t);
	type_built(MPI_COMBINER_INDEXED_BLOCK, t);
	OK("MPI_Type_create_hindexed_block", (int, int, long *, handle, handle *), 1, 1, at, i, &t);
	type_built(MPI_COMBINER_HINDEXED_BLOCK, t);
	OK("MPI_Type_create_struct", (int, int *, long *, handle *, handle *), 1, one, at, &i, &t);
	type_built(MPI_COMBINER_STRUCT, t);
	for (int order = MPI_ORDER_C; order <= MPI_ORDER_FORTRAN;
		order += MPI_ORDER_FORTRAN - MPI_ORDER_C) {
		OK("MPI_Type_create_subarray", (int, int *, int *, int *, int, handle, handle *), 1,
			four, one, zero, order, i, &t);
		type_built(MPI_COMBINER_SUBARRAY, t);
	}
	for (int d = MPI_DISTRIBUTE_NONE; d <= MPI_DISTRIBUTE_CYCLIC; d++) {
		int arg[1] = {MPI_DISTRIBUTE_DFLT_DARG};

		OK("MPI_Type_create_darray",
			(int, int, int, int *, int *, int *, int *, int, handle, handle *), 1, 0, 1,
			four, &d, arg, one, MPI_ORDER_C, i, &t);
		type_built(MPI_COMBINER_DARRAY, t);
	}
	OK("MPI_Type_create_resized", (handle, long, long, handle *), i, 0, 16, &t);
	type_built(MPI_COMBINER_RESIZED, t);
}

static void value_fortran(void)
{
	handle t = NULL;

	OK("MPI_Type_create_f90_real", (int, int, handle *), 6, 30, &t);
	type_built(MPI_COMBINER_F90_REAL, t);
	OK("MPI_Type_create_f90_complex", (int, int, handle *), 6, 30, &t);
	type_built(MPI_COMBINER_F90_COMPLEX, t);
	OK("MPI_Type_create_f90_integer", (int, handle *), 6, &t);
	type_built(MPI_COMBINER_F90_INTEGER, t);
	OK("MPI_Type_match_size", (int, int, handle *), MPI_TYPECLASS_INTEGER, 8, &t);
	IS(t == H(MPI_INTEGER8));
	OK("MPI_Type_match_size", (int, int, handle *), MPI_TYPECLASS_REAL, 8, &t);
	IS(t == H(MPI_REAL8) || t == H(MPI_DOUBLE_PRECISION));
	OK("MPI_Type_match_size", (int, int, handle *), MPI_TYPECLASS_COMPLEX, 8, &t);
	IS(t == H(MPI_COMPLEX8) || t == H(MPI_COMPLEX));
}

static void comm_compared(handle other, int result)
{
	int found = -1;

	OK("MPI_Comm_compare", (handle, handle, int *), H(MPI_COMM_WORLD), other, &found);
	IS(found == result);
}

static void comm_topology(handle comm, int kind)
{
	int found = -1;

	OK("MPI_Topo_test", (handle, int *), comm, &found);
	IS(found == kind);
	OK("MPI_Comm_free", (handle *), &comm);
}

static void value_comms(void)
{
	handle world = H(MPI_COMM_WORLD), c = NULL;
	int two = 2, no = 0, index[2] = {1, 2}, edges[2] = {1, 0}, n = 0, other = 1 - rank;

	comm_compared(world, MPI_IDENT);
	comm_compared(H(MPI_COMM_SELF), MPI_UNEQUAL);
	OK("MPI_Comm_dup", (handle, handle *), world, &c);
	comm_compared(c, MPI_CONGRUENT);
	comm_topology(c, MPI_UNDEFINED);
	OK("MPI_Comm_split", (handle, int, int, handle *), world, 0, -rank, &c);
	comm_compared(c, MPI_SIMILAR);
	OK("MPI_Comm_free", (handle *), &c);
	OK("MPI_Comm_split", (handle, int, int, handle *), world, MPI_UNDEFINED, 0, &c);
	IS(c == H(MPI_COMM_NULL));
	OK("MPI_Comm_split_type", (handle, int, int, handle, handle *), world, MPI_COMM_TYPE_SHARED,
		0, H(MPI_INFO_NULL), &c);
	OK("MPI_Comm_size", (handle, int *), c, &n);
	IS(n == 2);
	OK("MPI_Comm_free", (handle *), &c);
	OK("MPI_Cart_create", (handle, int, int *, int *, int, handle *), world, 1, &two, &no, 0,
		&c);
	comm_topology(c, MPI_CART);
	OK("MPI_Graph_create", (handle, int, int *, int *, int, handle *), world, 2, index, edges,
		0, &c);
	comm_topology(c, MPI_GRAPH);
	OK("MPI_Dist_graph_create_adjacent",
		(handle, int, int *, void *, int, int *, void *, handle, int, handle *), world, 1,
		&other, H(MPI_UNWEIGHTED), 0, &other, H(MPI_WEIGHTS_EMPTY), H(MPI_INFO_NULL), 0,
		&c);
	comm_topology(c, MPI_DIST_GRAPH);
}

static void value_messages(void)
{
	handle world = H(MPI_COMM_WORLD), m = NULL;
	struct status s = {.source = -100};
	int x = rank, y = -1, n = -1;

	OK("MPI_Sendrecv",
		(void *, int, handle, int, int, void *, int, handle, int, int, handle,
			struct status *),
		&x, 1, H(MPI_INT), 1 - rank, 7, &y, 1, H(MPI_INT), MPI_ANY_SOURCE, MPI_ANY_TAG,
		world, &s);
	IS(y == 1 - rank && s.source == 1 - rank && s.tag == 7);
	OK("MPI_Get_count", (struct status *, handle, int *), &s, H(MPI_INT), &n);
	IS(n == 1);
	OK("MPI_Recv", (void *, int, handle, int, int, handle, struct status *), &x, 1, H(MPI_INT),
		MPI_PROC_NULL, MPI_ANY_TAG, world, &s);
	IS(s.source == MPI_PROC_NULL && s.tag == MPI_ANY_TAG);
	OK("MPI_Mprobe", (int, int, handle, handle *, struct status *), MPI_PROC_NULL, 0, world, &m,
		&s);
	IS(m == H(MPI_MESSAGE_NO_PROC));
	OK("MPI_Mrecv", (void *, int, handle, handle *, void *), &x, 1, H(MPI_INT), &m,
		H(MPI_STATUS_IGNORE));
	IS(m == H(MPI_MESSAGE_NULL));
	OK("MPI_Allreduce", (void *, void *, int, handle, handle, handle), H(1), &y, 1, H(MPI_INT),
		H(MPI_SUM), world); /* 1: MPI_IN_PLACE */
	IS(y == 1);
}

/* MPI_ROOT: rank 0 of one side sends to the other. */
static void value_root(void)
{
	handle c = NULL;
	int x = rank == 0 ? 5 : 0;

	OK("MPI_Intercomm_create", (handle, int, handle, int, int, handle *), H(MPI_COMM_SELF), 0,
		H(MPI_COMM_WORLD), 1 - rank, 3, &c);
	OK("MPI_Bcast", (void *, int, handle, int, handle), &x, 1, H(MPI_INT),
		rank == 0 ? MPI_ROOT : 0, c);
	IS(x == 5);
	OK("MPI_Comm_free", (handle *), &c);
}

static void win_checked(handle w, int flavor)
{
	int *now = NULL, set = 0;

	OK("MPI_Win_get_attr", (handle, int, void *, int *), w, MPI_WIN_CREATE_FLAVOR, &now, &set);
	IS(set && *now == flavor);
	OK("MPI_Win_get_attr", (handle, int, void *, int *), w, MPI_WIN_MODEL, &now, &set);
	IS(set && (*now == MPI_WIN_UNIFIED || *now == MPI_WIN_SEPARATE));
	OK("MPI_Win_lock", (int, int, int, handle), MPI_LOCK_EXCLUSIVE, rank, 0, w);
	OK("MPI_Win_unlock", (int, handle), rank, w);
	OK("MPI_Win_lock", (int, int, int, handle), MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, w);
	OK("MPI_Win_unlock", (int, handle), rank, w);
	OK("MPI_Win_fence", (int, handle), MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, w);
	OK("MPI_Win_free", (handle *), &w);
	IS(w == H(MPI_WIN_NULL));
}

static void value_windows(void)
{
	handle world = H(MPI_COMM_WORLD), none = H(MPI_INFO_NULL), w = NULL;
	static int mine[4];
	void *at;

	OK("MPI_Win_create", (void *, long, int, handle, handle, handle *), mine, 16, 4, none,
		world, &w);
	win_checked(w, MPI_WIN_FLAVOR_CREATE);
	OK("MPI_Win_allocate", (long, int, handle, handle, void *, handle *), 16, 4, none, world,
		&at, &w);
	win_checked(w, MPI_WIN_FLAVOR_ALLOCATE);
	OK("MPI_Win_create_dynamic", (handle, handle, handle *), none, world, &w);
	win_checked(w, MPI_WIN_FLAVOR_DYNAMIC);
	OK("MPI_Win_allocate_shared", (long, int, handle, handle, void *, handle *), 16, 4, none,
		world, &at, &w);
	win_checked(w, MPI_WIN_FLAVOR_SHARED);
}

static void file_position_is(handle f, int64_t offset, int whence, int64_t want)
{
	int64_t now = -1;

	OK("MPI_File_seek", (handle, int64_t, int), f, offset, whence);
	OK("MPI_File_get_position", (handle, int64_t *), f, &now);
	IS(now == want);
}

static void value_files(const char *name)
{
	int mode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, found = 0;
	handle f = NULL, self = H(MPI_COMM_SELF), none = H(MPI_INFO_NULL);

	if (rank != 0)
		return;
	OK("MPI_File_open", (handle, const char *, int, handle, handle *), self, name, mode, none,
		&f);
	OK("MPI_File_get_amode", (handle, int *), f, &found);
	IS(found == mode);
	OK("MPI_File_write", (handle, void *, int, handle, void *), f, "0123456789", 10,
		H(MPI_CHAR), H(MPI_STATUS_IGNORE));
	file_position_is(f, 4, MPI_SEEK_SET, 4);
	file_position_is(f, 2, MPI_SEEK_CUR, 6);
	file_position_is(f, -1, MPI_SEEK_END, 9);
	OK("MPI_File_close", (handle *), &f);
	IS(f == H(MPI_FILE_NULL));
	IS(call("MPI_File_open", (handle, const char *, int, handle, handle *), self, name,
		   MPI_MODE_RDONLY, none, &f) == MPI_ERR_NO_SUCH_FILE);
}

/* Attributes with the functions 0 and 1: the one is not copied, the other is. */
static void value_copies(void)
{
	handle c = NULL;
	int key = 0, value = 3, set = -1;
	void *at = NULL;

	for (int copy = 0; copy <= 1; copy++) {
		OK("MPI_Comm_create_keyval", (void *, void *, int *, void *), H(copy), H(0), &key,
			NULL);
		OK("MPI_Comm_set_attr", (handle, int, void *), H(MPI_COMM_SELF), key, &value);
		OK("MPI_Comm_dup", (handle, handle *), H(MPI_COMM_SELF), &c);
		OK("MPI_Comm_get_attr", (handle, int, void *, int *), c, key, &at, &set);
		IS(set == copy && (!copy || at == &value));
		OK("MPI_Comm_free", (handle *), &c);
		OK("MPI_Comm_delete_attr", (handle, int), H(MPI_COMM_SELF), key);
		OK("MPI_Comm_free_keyval", (int *), &key);
		IS(key == MPI_KEYVAL_INVALID);
	}
}

/* Loads the library as MPI.jl does: to ask for its name, and once more to stay. */
static void library_load(const char *file)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int len = 0;

	lib = dlopen(file, RTLD_LAZY | RTLD_GLOBAL);
	if (lib == NULL) {
		puts(dlerror());
		exit(1);
	}
	OK("MPI_Get_library_version", (char *, int *), text, &len);
	IS(strncmp(text, "Haft", 4) == 0 && (int)strlen(text) == len);
	dlclose(lib);
	lib = dlopen(file, RTLD_LAZY | RTLD_GLOBAL);
	IS(lib != NULL);
}

int main(int argc, char **argv)
{
	int level = -1, major = -1, minor = -1;

	if (argc != 3)
		return 1;
	library_load(argv[1]);
	OK("MPI_Init_thread", (void *, void *, int, int *), NULL, NULL, MPI_THREAD_SERIALIZED,
		&level);
	IS(level == MPI_THREAD_SERIALIZED || level == MPI_THREAD_MULTIPLE);
	OK("MPI_Abi_get_version", (int *, int *), &major, &minor);
	IS(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
	OK("MPI_Comm_set_errhandler", (handle, handle), H(MPI_COMM_WORLD), H(MPI_ERRORS_RETURN));
	OK("MPI_File_set_errhandler", (handle, handle), H(MPI_FILE_NULL), H(MPI_ERRORS_RETURN));
	OK("MPI_Comm_rank", (handle, int *), H(MPI_COMM_WORLD), &rank);
	IS(call("MPI_Comm_rank", (handle, int *), H(MPI_COMM_NULL), &level) == MPI_ERR_COMM);
	value_list();
	value_combiners();
	value_fortran();
	value_comms();
	value_messages();
	value_root();
	value_windows();
	value_files(argv[2]);
	value_copies();
	OK("MPI_Finalize", (void));
	return bad;
}
