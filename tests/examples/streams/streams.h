// SPDX-License-Identifier: BSD-3-Clause
/* streams.h - a device with streams of work: queues, events, buffers and kernels, all on libobj.
 *
 *     st_launch(queue, kernel, n, args) ──► [ queue: launch, copy, record, ... ] ──► workers
 *                                                     │ in order within a queue
 *     st_event_record(event, queue) ──────────────────┘
 *     st_queue_wait(other, event)             queues run beside each other, but for events
 *
 * The device is a few threads of this process, and its memory is the process's own: only the
 * objects are real.  Handles come in two forms, as libobj offers them:
 *
 *     queues, events, kernels, error handlers   tokens: following one faults, each use is checked
 *     buffers                                   the address of the object: its first word is the
 *                                               data's address, so st_data is one load
 *
 * Each handle has an INTEGER form for Fortran: functions st_..._f in integers.c.  A handle may be
 * freed while work that uses it waits: the work holds its objects.  All functions may be called
 * by any thread.  They return ST_OK or an error, and st_error_text has the words. */
#ifndef STREAMS_H
#define STREAMS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct st_queue;
struct st_event;
struct st_kernel;
struct st_errh;
struct st_buffer {
	void *data; /* on the device, here the same memory */
};

enum st_error {
	ST_OK,
	ST_HANDLE,  /* no live handle of that kind; the text says its kind */
	ST_INVALID, /* an argument out of range */
	ST_NOMEM,
	ST_KERNEL, /* a kernel returned an error: told by st_queue_sync */
	ST_REFUSED /* a callback of an attribute said no */
};

#define ST_ARGS_MAX 8

/* Starts the device with so many threads (0: two).  ST_INVALID: it runs already. */
int st_init(int threads);

/* Waits for all work, ends the device, and writes the objects that are left to file descriptor fd
 * (< 0: nowhere).  Returns how many. */
long st_finalize(int fd);

/* The words of this thread's last error; "" if there was none. */
const char *st_error_text(void);

/* --- queues --------------------------------------------------------------------------------- */

int st_queue_new(struct st_queue **queue);

/* A queue that inherits the parent's error handler, and its attributes by their copy callbacks. */
int st_queue_spawn(struct st_queue *parent, struct st_queue **child);

/* Commands that are in it still run. */
int st_queue_free(struct st_queue **queue);

/* Waits until the queue has run dry.  ST_KERNEL: a kernel has failed since the last call. */
int st_queue_sync(struct st_queue *queue);

/* Commands that are put in next wait until the event's last recording so far has happened. */
int st_queue_wait(struct st_queue *queue, struct st_event *event);

/* --- events --------------------------------------------------------------------------------- */

int st_event_new(struct st_event **event);
int st_event_free(struct st_event **event);
int st_event_record(struct st_event *event, struct st_queue *queue);
int st_event_sync(struct st_event *event); /* the caller waits */
int st_event_query(struct st_event *event, int *happened);

/* Nanoseconds between two events that have happened; else ST_INVALID. */
int st_event_elapsed(struct st_event *from, struct st_event *to, int64_t *ns);

/* --- buffers -------------------------------------------------------------------------------- */

int st_buffer_new(size_t bytes, struct st_buffer **buffer);
int st_buffer_free(struct st_buffer **buffer);
int st_buffer_size(struct st_buffer *buffer, size_t *bytes);

/* Unchecked and as fast as a pointer: that is what direct handles are for. */
static inline void *st_data(struct st_buffer *buffer)
{
	return buffer->data;
}

/* Copies in order with the queue's other work; host memory must stay until then. */
int st_write(struct st_queue *queue, struct st_buffer *to, size_t offset, const void *from,
	size_t bytes);
int st_read(struct st_queue *queue, void *to, struct st_buffer *from, size_t offset, size_t bytes);
int st_copy(struct st_queue *queue, struct st_buffer *to, struct st_buffer *from, size_t bytes);

/* --- kernels -------------------------------------------------------------------------------- */

enum st_lang {
	ST_C,      /* int f(size_t n, void *const args[], void *ctx): not 0 is an error */
	ST_FORTRAN /* subroutine f(n, a, b, ...): integer(8) n, then each buffer */
};

int st_kernel_new(enum st_lang lang, void (*fn)(void), void *ctx, struct st_kernel **kernel);
int st_kernel_free(struct st_kernel **kernel);

/* Runs the kernel over n elements with the buffers as arguments. */
int st_launch(struct st_queue *queue, struct st_kernel *kernel, size_t n, int nargs,
	struct st_buffer *const args[]);

/* --- names, attributes, error handlers ------------------------------------------------------ */

int st_queue_name(struct st_queue *queue, const char *name);
int st_buffer_name(struct st_buffer *buffer, const char *name);

/* Values that hang on queues.  copy and del as libobj calls them; NULL copy: not inherited. */
typedef int st_copy_fn(void *queue, int key, void *extra, void *in, void *out, int *flag);
typedef int st_del_fn(void *queue, int key, void *value, void *extra);
int st_key_new(st_copy_fn *copy, st_del_fn *del, void *extra, int *key);
int st_key_free(int *key);
int st_queue_set(struct st_queue *queue, int key, void *value);
int st_queue_get(struct st_queue *queue, int key, void **value, int *found);

/* An error handler is told of each kernel that fails: the kernel's code, the queue's name. */
typedef void st_errh_fn(int code, const char *queue, void *ctx);
int st_errh_new(st_errh_fn *fn, void *ctx, struct st_errh **errh);
int st_errh_free(struct st_errh **errh);
int st_queue_errh(struct st_queue *queue, struct st_errh *errh);

#ifdef __cplusplus
}
#endif
#endif
