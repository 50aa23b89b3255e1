// SPDX-License-Identifier: BSD-3-Clause
/* job_plan.h - what the user asked for: programs, how many of each, where and with what environment.
 *
 *   mpiexec -n 2 -wdir /tmp ./a x : -n 1 ./b     ->   app[0] = {2 ranks, ./a x}   ranks 0, 1
 *                                                     app[1] = {1 rank,  ./b}     rank  2
 *
 * plan_read ends the process (one line, exit code 2 or 127) when there is nothing sensible to
 * run, so that a plan that exists can be started. */
#ifndef HAFT_TOOLS_MPIEXEC_JOB_PLAN_H
#define HAFT_TOOLS_MPIEXEC_JOB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXIT_USAGE 2   /* wrong options: as most tools */
#define EXIT_NONE  127 /* no such program, or not executable */

/* One setting of a variable. */
struct setting {
	const char *name; /* NAME, or NAME=VALUE if value is NULL */
	const char *value;
};

/* A list of settings; later ones win. */
struct settings {
	struct setting *v;
	int n;
};

/* One program of the command line. */
struct app {
	char **argv; /* ends with NULL */
	int n;       /* ranks; at least 1 */
	const char *wdir;
	const char *path;    /* -path: where to look for the program; NULL: PATH */
	const char *keep;    /* names, by commas, of the variables that pass; NULL: all */
	struct settings set; /* -env, -x */
	char *info;          /* lines KEY=VALUE for MPI_INFO_ENV; malloc'ed */
	char *file;          /* the program as found; relative to wdir if it is relative */
	char **script;       /* argv of a shell that runs file, should it lack a #! line */
	char **envp;         /* its environment; envp[0] is left for BOOT_VAR; ends with NULL */
};

#define STDIN_ALL  (-1)
#define STDIN_NONE (-2)

/* How agents are started on other hosts: launch.h. */
enum launcher { LAUNCH_NONE, LAUNCH_SSH, LAUNCH_RSH, LAUNCH_EXEC, LAUNCH_FORK, LAUNCH_SLURM };

/* How ranks follow each other over hosts and slots. */
enum mapping { MAP_SLOT, MAP_NODE };

/* Parts of a machine to which ranks are bound. */
enum part { PART_NONE, PART_THREAD, PART_CORE, PART_SOCKET, PART_NUMA };

/* A host that was named. */
struct host {
	char *name;
	int slots;  /* >= 1 */
	int max;    /* no more ranks than these; 0: no limit */
	bool local; /* this machine: its agent needs no launcher */
};

/* The whole command line. */
struct plan {
	struct app *app;
	int napps;
	int nranks;
	struct host *host; /* those that have ranks; none: all ranks are here, without agents */
	int nhosts;
	int *order; /* of hosts in the tree of agents: proxy_tree.h */
	int fanout;
	int ppn; /* ranks of a host in one turn; 0: its slots */
	enum mapping map;
	enum part bind; /* each rank to one of these */
	enum part deal; /* in the order: one of each of these in turn */
	enum launcher launcher;
	const char *launch_exec; /* its command; NULL: it has none */
	char *agent;             /* file of mpiexec on the other hosts */
	const char *iface;       /* NULL: the one by which hosts reach each other */
	char *cwd;               /* where the ranks run that have no -wdir; NULL: here */
	int *host_of;            /* by rank */
	int stdin_to;            /* a rank, STDIN_ALL, STDIN_NONE */
	double timeout;          /* s; 0: none */
	bool label;              /* lines begin with their rank */
	bool verbose;            /* say what is started */
	const char *keep;        /* as in struct app, for apps that do not say */
	const char
		*file[2]; /* stdout and stderr of a rank go here: a pattern of outfile.h, or NULL */
	bool file_copy;   /* ... and to our own as well */
	char **ignored;   /* options that change nothing, in words */
	int nignored;
	struct settings set; /* -genv */
};

/* Reads the command line.  Returns only with a plan that can be started; it lives as long as the
 * process does. */
struct plan *plan_read(int argc, char **argv);

/* The plan that plan_read has returned. */
const struct plan *plan_this(void);

/* Makes the environment of each app; finds their programs, on the host where it is called. */
void plan_environ(struct plan *p);
void plan_find(struct plan *p);

/* Adds the hosts named by `list' (host[:slots],...), or in a file; one that is there already gets
 * more slots.  Hosts without a number of slots count as 1, or as their limit.  Ends with what is
 * wrong, and where, if there is a word that is not understood. */
void hosts_list(struct plan *p, const char *list);
void hosts_file(struct plan *p, const char *path);

/* True if the name is this machine's. */
bool hosts_here(const char *name);

/* Without hosts named by the user: adds those of the allocation in which mpiexec was started, if
 * there is one and it is more than this machine; of one that is not, p->ppn becomes the slots. True
 * if it is Slurm's.  Ends with what is wrong if it is not understood. */
bool alloc_hosts(struct plan *p);

/* Makes one host of those that are this machine.  Returns the slots of all; 0: none was named. */
int hosts_settle(struct plan *p);

/* Puts each rank on a host (host_of), and forgets hosts that get none, or all of them if all ranks
 * are here. */
void map_ranks(struct plan *p);

/* CLOCK_MONOTONIC. */
uint64_t now_ns(void);

/* Ends with one line "mpiexec: ..." on stderr, or in an agent as die_hook does. */
extern void (*die_hook)(int code, const char *words);
__attribute__((noreturn, format(printf, 2, 3))) void die(int code, const char *fmt, ...);

/* malloc and friends that end mpiexec when there is no memory: it has not started anything that it
 * could save. */
void *mem_grow(void *ptr, size_t n, size_t size);
__attribute__((format(printf, 1, 2))) char *text(const char *fmt, ...);

#endif
