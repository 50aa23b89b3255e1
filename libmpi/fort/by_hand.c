// SPDX-License-Identifier: BSD-3-Clause
/* by_hand.c - procedures with text of irregular form: programs with their arguments, strings with a
 * length argument; and procedures that only Fortran has.
 *
 * In C a length includes the NUL, in Fortran there is none: one more is asked for and one less
 * told. */
#include "libmpi/fort/by_hand.h"

#include <stdlib.h>
#include <string.h>

/* --- MPI_INFO_GET_STRING, MPI_SESSION_GET_NTH_PSET ------------------------------------------ */

FORT_PROC(mpi_info_get_string,
	(const MPI_Fint *info, const char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag,
		MPI_Fint *ierror, size_t l_key, size_t l_value))
{
	char s_key[FORT_TEXT], *c_key = NULL, room[MPI_MAX_INFO_VAL];
	int ret, len = MPI_MAX_INFO_VAL;

	FORT_TEXT_IN(key, true);
	fort_text_unset(room);
	ret = FORT_C(MPI_Info_get_string)(fort_info(*info), c_key, &len, room, flag);
	if (ret == MPI_SUCCESS && *flag) {
		if (*buflen > 0)
			fort_text_out(
				value, (size_t)*buflen < l_value ? (size_t)*buflen : l_value, room);
		if (*buflen > 0 && (size_t)*buflen < l_value)
			memset(value + *buflen, ' ', l_value - (size_t)*buflen);
		*buflen = len - 1;
		*flag = 1;
	}
done:
	fort_room_end(s_key, c_key);
	FORT_RETURN(ret);
}

FORT_PROC(mpi_session_get_nth_pset,
	(const MPI_Fint *session, const MPI_Fint *info, const MPI_Fint *n, MPI_Fint *pset_len,
		char *pset_name, MPI_Fint *ierror, size_t l_pset_name))
{
	char room[MPI_MAX_PSET_NAME_LEN];
	int ret, len = MPI_MAX_PSET_NAME_LEN, fit = *pset_len;

	fort_text_unset(room);
	ret = FORT_C(MPI_Session_get_nth_pset)(
		fort_session(*session), fort_info(*info), *n, &len, room);
	if (ret == MPI_SUCCESS) {
		if (fit > 0) {
			if ((size_t)fit < l_pset_name)
				memset(pset_name + fit, ' ', l_pset_name - (size_t)fit);
			else
				fit = (int)l_pset_name;
			fort_text_out(pset_name, (size_t)fit, room);
		}
		*pset_len = len - 1;
	}
	FORT_RETURN(ret);
}

/* --- programs and their arguments ----------------------------------------------------------- */

/* The strings of a CHARACTER array, `stride' bytes apart, up to a blank one: as C has them, without
 * leading and trailing blanks (MPI-5.0 11.8.2), in one malloc'ed block.  NULL: no memory. */
static char **words_make(const char *first, size_t len, size_t stride, int most)
{
	int n = 0;
	char **v, *at;

	while (n != most) {
		const char *p = first + (size_t)n * stride;
		size_t i = 0;

		while (i < len && p[i] == ' ')
			i++;
		if (i == len && most < 0)
			break;
		n++;
	}
	v = malloc(((size_t)n + 1) * sizeof(*v) + (size_t)n * (len + 1));
	if (v == NULL)
		return NULL;
	at = (char *)(v + n + 1);
	for (int i = 0; i < n; i++) {
		const char *p = first + (size_t)i * stride;
		size_t l = len;

		while (l > 0 && p[l - 1] == ' ')
			l--;
		for (; l > 0 && *p == ' '; l--)
			p++;
		v[i] = at;
		memcpy(at, p, l);
		at[l] = '\0';
		at += len + 1;
	}
	v[n] = NULL;
	return v;
}

/* The arrays are significant at the root only. */
static bool spawn_at_root(MPI_Comm comm, int root)
{
	int rank = -1;

	return FORT_OWN(MPI_Comm_rank, comm, &rank) == MPI_SUCCESS && rank == root;
}

FORT_PROC(mpi_comm_spawn,
	(const char *command, const char *argv, const MPI_Fint *maxprocs, const MPI_Fint *info,
		const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *intercomm, MPI_Fint *errcodes,
		MPI_Fint *ierror, size_t l_command, size_t l_argv))
{
	char s_command[FORT_TEXT], *c_command = NULL, **c_argv = NULL;
	MPI_Comm c_intercomm = FORT_UNSET(MPI_Comm);
	int ret;

	FORT_TEXT_IN(command, true);
	if (argv != mpi_fort_text_.argv_null && spawn_at_root(fort_comm(*comm), *root)) {
		c_argv = words_make(argv, l_argv, l_argv, -1);
		if (c_argv == NULL) {
			ret = fort_no_memory();
			goto done;
		}
	}
	ret = FORT_C(MPI_Comm_spawn)(c_command, c_argv, *maxprocs, fort_info(*info), *root,
		fort_comm(*comm), &c_intercomm, FORT_BUF(errcodes));
	FORT_HANDLE_NEW(MPI_Comm, comm, intercomm);
done:
	free(c_argv);
	fort_room_end(s_command, c_command);
	FORT_RETURN(ret);
}

/* A blank command: the program of the caller. */
FORT_PROC(mpix_comm_replace,
	(const MPI_Fint *comm, const char *command, const char *argv, const MPI_Fint *info,
		MPI_Fint *newcomm, MPI_Fint *ierror, size_t l_command, size_t l_argv))
{
	char s_command[FORT_TEXT], *c_command = NULL, **c_argv = NULL;
	MPI_Comm c_newcomm = FORT_UNSET(MPI_Comm);
	int ret;

	FORT_TEXT_IN(command, true);
	if (argv != mpi_fort_text_.argv_null && c_command[0] != '\0') {
		c_argv = words_make(argv, l_argv, l_argv, -1);
		if (c_argv == NULL) {
			ret = fort_no_memory();
			goto done;
		}
	}
	ret = FORT_C(MPIX_Comm_replace)(fort_comm(*comm), c_command[0] != '\0' ? c_command : NULL,
		c_argv, fort_info(*info), &c_newcomm);
	FORT_HANDLE_NEW(MPI_Comm, comm, newcomm);
done:
	free(c_argv);
	fort_room_end(s_command, c_command);
	FORT_RETURN(ret);
}

/* The arrays of MPI_Comm_spawn_multiple in C. */
struct programs {
	char **commands;
	char ***argvs;
	MPI_Info *infos;
};

static void programs_free(struct programs *p, int count)
{
	for (int i = 0; p->argvs != NULL && i < count; i++)
		free(p->argvs[i]);
	free(p->argvs);
	free(p->commands);
	free(p->infos);
}

/* argvs(count, *): the words of one program are count strings apart. */
static bool programs_make(struct programs *p, int count, const char *commands, size_t l_commands,
	const char *argvs, size_t l_argvs, const MPI_Fint *infos)
{
	size_t n = count > 0 ? (size_t)count : 0;

	*p = (struct programs){words_make(commands, l_commands, l_commands, (int)n), NULL,
		calloc(n + 1, sizeof(*p->infos))};
	if (p->commands == NULL || p->infos == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		p->infos[i] = fort_info(infos[i]);
	if (argvs == mpi_fort_text_.argvs_null)
		return true;
	p->argvs = calloc(n + 1, sizeof(*p->argvs));
	for (size_t i = 0; p->argvs != NULL && i < n; i++) {
		p->argvs[i] = words_make(argvs + i * l_argvs, l_argvs, n * l_argvs, -1);
		if (p->argvs[i] == NULL)
			return false;
	}
	return p->argvs != NULL;
}

FORT_PROC(mpi_comm_spawn_multiple,
	(const MPI_Fint *count, const char *commands, const char *argvs, const MPI_Fint *maxprocs,
		const MPI_Fint *infos, const MPI_Fint *root, const MPI_Fint *comm,
		MPI_Fint *intercomm, MPI_Fint *errcodes, MPI_Fint *ierror, size_t l_commands,
		size_t l_argvs))
{
	MPI_Comm c_intercomm = FORT_UNSET(MPI_Comm), c_comm = fort_comm(*comm);
	int ret, n = spawn_at_root(c_comm, *root) ? *count : 0;
	struct programs p;

	if (!programs_make(&p, n, commands, l_commands, argvs, l_argvs, infos)) {
		ret = fort_no_memory();
		goto done;
	}
	ret = FORT_C(MPI_Comm_spawn_multiple)(n > 0 ? n : *count, p.commands, p.argvs, maxprocs,
		p.infos, *root, c_comm, &c_intercomm, FORT_BUF(errcodes));
	FORT_HANDLE_NEW(MPI_Comm, comm, intercomm);
done:
	programs_free(&p, n);
	FORT_RETURN(ret);
}

/* --- Fortran alone -------------------------------------------------------------------------- */

/* The compiler must not know that nothing happens here: that is all that it is for (19.1.8). */
FORT_PROC_OLD(mpi_f_sync_reg, (void *buf))
{
	(void)buf;
}

FORT_PROC_OLD(mpi_f_sync_reg_fts, (const struct fort_desc *buf))
{
	(void)buf;
}

FORT_PROC_OLD(mpi_f_sync_reg_f08ts, (const struct fort_desc *buf))
{
	(void)buf;
}

/* The size stands in the descriptor; mpif.h passes none. */
FORT_PROC_OLD(mpi_sizeof_fts, (const struct fort_desc *x, MPI_Fint *size, MPI_Fint *ierror))
{
	*size = (MPI_Fint)x->len;
	FORT_RETURN(MPI_SUCCESS);
}

FORT_PROC_OLD(mpi_sizeof, (const void *x, MPI_Fint *size, MPI_Fint *ierror))
{
	(void)x, (void)size;
	FORT_RETURN(fort_raise(MPI_ERR_UNSUPPORTED_OPERATION));
}
