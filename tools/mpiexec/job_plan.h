// SPDX-License-Identifier: BSD-3-Clause
/* job_plan.h - the job as the command line describes it: programs, ranks, hosts, environment.
 *
 *   mpiexec -n 2 -wdir /tmp ./a x : -n 1 ./b     ->   app[0] = {2 ranks, ./a x}   ranks 0, 1
 *                                                     app[1] = {1 rank,  ./b}     rank  2
 *
 * plan_read ends mpiexec (one line, exit code 2 or 127) if the command line is wrong, so a plan
 * that exists can be started. */
#ifndef HAFT_TOOLS_MPIEXEC_JOB_PLAN_H
#define HAFT_TOOLS_MPIEXEC_JOB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libmpi/boot/mpiexec_words.h"
#include "tools/mpiexec/util.h"

#define EXIT_USAGE 2 /* wrong command line, as in most tools */

/* One environment variable to set. */
struct setting {
	const char *name; /* NAME (pass it on) or NAME=VALUE if value is NULL */
	const char *value;
};

/* A list of variables; later entries win. */
struct settings {
	struct setting *v;
	int n;
};

/* One program of the command line. */
struct app {
	char **argv; /* ends with NULL */
	int n;       /* ranks; at least 1, except in a spawn */
	int appnum;  /* MPI_APPNUM */
	const char *wdir;
	const char *path;    /* -path: search path for the program; NULL: PATH */
	const char *keep;    /* comma-separated names of variables that pass; NULL: all */
	struct settings set; /* -env, -x */
	char *info;          /* lines KEY=VALUE for MPI_INFO_ENV; malloc'ed */
	char *file;          /* the program as found; relative to wdir if it is relative */
	char **script;       /* argv of a shell that runs the file if it has no #! line */
	char **envp;         /* environment; envp[0] is reserved for BOOT_VAR; ends with NULL */
};

#define STDIN_ALL  (-1)
#define STDIN_NONE (-2)

/* How proxies are started on other hosts: launch.h. */
enum launcher { LAUNCH_NONE, LAUNCH_SSH, LAUNCH_RSH, LAUNCH_EXEC, LAUNCH_FORK, LAUNCH_SLURM };

/* Order of ranks over hosts: fill slots, or one per node in turn. */
enum mapping { MAP_SLOT, MAP_NODE };

/* Parts of a machine, to which ranks are bound.  Ranks are spread over those after PART_CORE. */
enum part {
	PART_NONE,
	PART_THREAD,
	PART_CORE,
	PART_L1, /* what shares a cache */
	PART_L2,
	PART_L3,
	PART_SOCKET,
	PART_NUMA
};

/* An option of the command line, as shell_words.c sees it. */
struct option_view {
	const char *name; /* without dashes: `len' characters */
	int len;
	int values;       /* words that follow it */
	bool ignored;     /* of another launcher, without effect or refused */
	const char *kind; /* the first value: words, @file, @dir, @host, @var, "" */
};

/* The option number i, from 0; false: there are no more. */
bool option_view(int i, struct option_view *v);

/* One host. */
struct host {
	char *name;
	int slots;    /* >= 1 */
	int max;      /* max_slots; 0: no limit */
	bool local;   /* this machine: its proxy needs no launcher */
	bool outside; /* of the program that a service works for: it has no proxy */
};

/* The whole command line. */
struct plan {
	struct app *app;
	int napps;
	int nranks;
	struct host *host; /* hosts with ranks; empty: all ranks are local, without proxies */
	int nhosts;
	int nused;   /* of them, hosts with ranks of the command line: the first ones */
	int *order;  /* order of hosts in the proxy tree: proxy_tree.h */
	int ntree;   /* hosts of that tree; later ones (plan_host_add) are children of the root */
	char *spare; /* HOST:N,... of a job that uses this host alone; NULL: it has no others */
	int respawn; /* so often a job that has failed is started again */
	int fanout;
	int ppn; /* ranks per host and turn; 0: its slots */
	enum mapping map;
	enum part bind;   /* binding target of each rank */
	enum part spread; /* round-robin over these parts */
	enum launcher launcher;
	const char *launch_exec; /* launcher command; NULL: none */
	char *proxy_path;        /* path of mpiexec on the other hosts */
	const char *iface;   /* network interface; NULL: the one by which hosts reach each other */
	char *cwd;           /* working directory of ranks without -wdir; NULL: the current one */
	int *host_of;        /* by rank */
	int stdin_to;        /* a rank, STDIN_ALL, STDIN_NONE */
	double timeout;      /* s; 0: none */
	int universe;        /* MPI_UNIVERSE_SIZE; -1: not set */
	bool universe_given; /* by -usize; else it is set while there is room for more processes */
	int slots;           /* of all hosts, or of this one; 0: not known */
	bool full_refuse;    /* -nooversubscribe: a spawn gets free slots only */
	bool serves;         /* for a program that was started without mpiexec: serve.h */
	const char *prefix;  /* pattern for the head of each line of output; NULL: no head */
	bool stamp;          /* ... behind the time */
	bool merge;          /* standard error of the ranks goes where standard output does */
	bool verbose;        /* report started programs and ignored options */
	bool show_hosts, show_map, show_bind, show_ends; /* job_show.h */
	const char *keep;                                /* default of app.keep */
	const char *file[2]; /* patterns of files for stdout and stderr (outfile.h); NULL: none */
	bool file_copy;      /* output to files goes to stdout and stderr of mpiexec as well */
	struct wrap *wrap;   /* commands that start ranks: wrap.h */
	int nwraps;
	const char *xterm;   /* ranks of -xterm; "": all; NULL: none */
	const char *gdb;     /* ranks of -gdb; likewise */
	bool hold;           /* a tool has started mpiexec: ranks wait in MPI_Init (mpir.h) */
	const char *profile; /* where -profile writes: profile.h; NULL: there is none */
	const char *trace;   /* where -trace writes: trace.h; NULL: there is none */
	int64_t trace_room;  /* bytes of a rank's ring */
	bool trace_first;    /* it keeps the first records, not the last ones */
	bool top;            /* what the ranks do is shown each second: top.h */
	char **ignored;      /* ignored options, for -v */
	int nignored;
	char **without; /* lines about options without effect */
	int nwithout;
	struct settings set; /* -genv */
};

/* Parses the command line.  Returns only if the plan can be started.  The plan lives as long as the
 * process. */
struct plan *plan_read(int argc, char **argv);

/* The plan of a service, for a program (argv) that was started without mpiexec: launcher and hosts
 * as the files of defaults and the allocation say.  Ends mpiexec as plan_read does. */
struct plan *plan_serve(char **argv);

/* The result of plan_read or plan_serve. */
struct plan *plan_this(void);

/* Finds the program of `a' and sets file and script; `path': the value of PATH, or NULL.  Returns
 * NULL, or malloc'ed words, with the reason in *err (an errno). */
char *app_find(struct app *a, const char *path, int *err);

/* Makes an environment: the texts of `base' that are set, changed by `set'; [0] is left for
 * BOOT_VAR.  All texts are malloc'ed. */
char **app_environ(char *const *base, const struct settings *set);

/* plan_environ makes the environment of each app.  plan_find searches their programs on the host
 * where it is called, and ends mpiexec if one is missing. */
void plan_environ(struct plan *p);
void plan_find(struct plan *p);

/* Adds the hosts of a list "host[:slots],..." or of a hostfile.  A repeated host gets more slots.
 * Default slots: max_slots if given, else 1.  Syntax errors end mpiexec with the place and the
 * word. */
void hosts_list(struct plan *p, const char *list);
void hosts_file(struct plan *p, const char *path);

/* Cuts a word HOST, HOST:N, [HOST] or [HOST]:N; an IPv6 address with N stands in brackets.  Returns
 * the name; *slots: the text of N, or NULL.  NULL: the brackets do not fit. */
char *host_word_cut(char *word, const char **slots);

/* A word that host_word_cut understands; malloc'ed. */
char *host_word(const char *name, int slots);

/* The number of slots; 0: the text is no number from 1 to SHM_RANKS_MAX. */
int host_slots(const char *s);

/* True if the name can be that of a host, and means nothing to a shell or a launcher. */
bool host_name_good(const char *name);

/* True if the name is this machine's. */
bool hosts_here(const char *name);

/* Adds the hosts of a batch allocation, if the user names none.  If the allocation is this
 * machine only, p->ppn becomes its slots.  Returns true under Slurm.  Ends mpiexec if the
 * allocation cannot be parsed. */
bool alloc_hosts(struct plan *p);

/* Merges hosts that are this machine.  Returns the number of slots of all hosts; 0: no hosts
 * given. */
int hosts_settle(struct plan *p);

/* Assigns ranks to hosts (host_of) and drops hosts without ranks; all hosts if all ranks are
 * local. */
void map_ranks(struct plan *p);

/* Adds a host to a job that runs. */
void plan_host_add(struct plan *p, const char *name, int slots);

/* Moves the hosts to p->spare: the job uses this host alone. */
void plan_hosts_spare(struct plan *p);

#endif
