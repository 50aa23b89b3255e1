// SPDX-License-Identifier: BSD-3-Clause
/* inner.h - the objects behind the handles of streams.h.
 *
 * References.  A command holds the objects that it uses, and a queue that has commands holds
 * itself (queue.c), so handles may be freed at any time.  Nothing holds a command: it is memory of
 * the domain, put back when it has run. */
#ifndef STREAMS_INNER_H
#define STREAMS_INNER_H

#include <libobj/obj.h>

#include <pthread.h>
#include "streams.h"

struct command;

struct queue {
	struct obj obj;
	struct command *first, **last; /* under device.lock, as all below */
	struct queue *next;            /* in device.busy, while there are commands */
	int running;                   /* a worker has the first command */
	int failed;                    /* the code of a kernel, since the last sync */
};

struct event {
	struct obj obj;
	uint64_t recorded, happened; /* times; under device.lock */
	int64_t ns;                  /* when it happened last */
};

/* A direct object: the handle is the address of `face'. */
struct buffer {
	struct obj obj;
	struct st_buffer face;
	size_t bytes;
};

struct kernel {
	struct obj obj;
	enum st_lang lang;
	void (*fn)(void);
	void *ctx;
};

struct errh {
	struct obj obj;
	st_errh_fn *fn;
	void *ctx;
};

enum kind { LAUNCH, WRITE, READ, COPY, RECORD, WAIT };

struct command {
	struct command *next;
	enum kind kind;
	struct kernel *kernel;            /* LAUNCH; held */
	struct event *event;              /* RECORD, WAIT; held */
	uint64_t time;                    /* the recording that is meant */
	struct buffer *args[ST_ARGS_MAX]; /* held */
	int nargs;
	size_t n, offset; /* elements, or bytes */
	void *host;
};

struct device {
	struct obj_domain *domain;
	struct obj_class queues, events, buffers, kernels, errhs;
	pthread_mutex_t lock;
	pthread_cond_t change; /* anything below, and each queue and event */
	struct queue *busy;    /* queues that have commands */
	pthread_t *threads;
	int nthreads, ending;
};

extern struct device device;

/* Remembers the words for st_error_text, and returns the code. */
int error_say(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The object behind a handle, held for the caller, or NULL with the words said. */
void *object_take(struct obj_class *cls, obj_h handle, const char *where);

/* The user's goodbye; the handle variable becomes NULL.  Reports name `site', the user's call. */
int object_free(struct obj_class *cls, obj_h *handle, const char *where, uintptr_t site);

/* Gives an object a name of the user's. */
int object_name(struct obj_class *cls, obj_h handle, const char *name, const char *where);

/* Puts a copy of the command at the end of the queue; the command's references go with it, also if
 * it fails. */
int command_put(struct queue *q, const struct command *c);

/* Runs commands until the device ends: a worker. */
void *worker_run(void *unused);

/* Does the work of a command, without the lock.  Returns the code of a kernel. */
int command_run(struct command *c);

/* Gives back the references of a command. */
void command_drop(const struct command *c);

extern const struct obj_class_desc queue_desc, event_desc, buffer_desc, kernel_desc, errh_desc;

int64_t time_ns(void);

#endif
