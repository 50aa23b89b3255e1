// SPDX-License-Identifier: BSD-3-Clause
/* refuse.c - starts a program to which the kernel refuses system calls.
 *
 *     refuse CALL=ERROR[,CALL=ERROR...] PROGRAM [ARGUMENT...]
 *
 * CALL is one of the table's, ERROR is EPERM, ENOSYS, ENOMEM or EMFILE.  The filter holds for
 * PROGRAM and all that it starts. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_MAX 8 /* at once */
#define SKIP      77

struct word {
	const char *name;
	int value;
};

/* Numbers of calls that headers may lack; equal on all architectures. */
static const struct word calls[] = {{"process_vm_readv", SYS_process_vm_readv},
	{"process_vm_writev", SYS_process_vm_writev}, {"membarrier", SYS_membarrier},
	{"futex_waitv", 449}, {"memfd_create", SYS_memfd_create},
	{"sched_getaffinity", SYS_sched_getaffinity}, {"sched_setaffinity", SYS_sched_setaffinity},
	{"fallocate", SYS_fallocate}, {"getrandom", SYS_getrandom}, {"pidfd_open", 434},
	{"ptrace", SYS_ptrace}, {"prctl", SYS_prctl}, {"madvise", SYS_madvise},
	{"connect", SYS_connect}, {"clone", SYS_clone}, {NULL, 0}};
static const struct word errors[] = {
	{"EPERM", EPERM}, {"ENOSYS", ENOSYS}, {"ENOMEM", ENOMEM}, {"EMFILE", EMFILE}, {NULL, 0}};

/* The value of the first `len' bytes of `s', or -1. */
static int option_value_of(const struct word *w, const char *s, size_t len)
{
	for (; w->name != NULL; w++)
		if (strlen(w->name) == len && strncmp(w->name, s, len) == 0)
			return w->value;
	return -1;
}

/* Fills `code' from `list'; returns its length, or 0. */
static unsigned short filter_make(const char *list, struct sock_filter *code)
{
	unsigned short n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < CALLS_MAX && *list != '\0'; i++) {
		size_t name = strcspn(list, "="), error = strcspn(list + name, ",");
		int call = option_value_of(calls, list, name);
		int err = error < 2 ? -1 : option_value_of(errors, list + name + 1, error - 1);

		if (call < 0 || err < 0)
			return 0;
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err);
		list += name + error;
		list += *list == ',';
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return *list == '\0' ? n : 0;
}

int main(int argc, char **argv)
{
	struct sock_filter code[2 + 2 * CALLS_MAX];
	struct sock_fprog prog = {.filter = code};

	if (argc < 3 || (prog.len = filter_make(argv[1], code)) == 0) {
		fprintf(stderr, "usage: refuse CALL=ERROR[,CALL=ERROR...] PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0) {
		perror("refuse: seccomp");
		return SKIP;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 1;
}
