// SPDX-License-Identifier: BSD-3-Clause
/* tasks.c - a small task runtime on libobj: libobj's use for a library that is not MPI.
 *
 *     cc tasks.c $(pkg-config --cflags --libs libobj) && ./a.out
 *
 *     task_spawn ──> [ queue: task, task, task ] ──> worker threads ──> event fires
 *
 * Three classes of objects: tasks, queues and events.  Users see handles only, and every function
 * refuses all but handles of its class, in words.  References:
 *
 *   - A queued or running task has a handle of its own (obj_share), given back when it has run.  So
 *     a user that frees the handle after task_spawn has a detached task, and its task-local values
 *     live as long as it runs.
 *   - A task holds its queue and its event; no object holds a task.
 *
 * Task-local values are attributes: a task inherits those of the task that spawned it, through a
 * copy callback. One mutex a queue is enough here: this shows libobj, not scheduling. */
#include <libobj/obj.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS 2

struct queue {
	struct obj obj;
	pthread_mutex_t lock; /* protects all below, and the events of this queue's tasks */
	pthread_cond_t change;
	struct task *first, **last;
	int closing;
	pthread_t worker[WORKERS];
};

struct event {
	struct obj obj;
	struct queue *queue; /* held */
	int fired;
};

struct task {
	struct obj obj;
	struct task *next;   /* in the queue */
	struct queue *queue; /* held */
	struct event *event; /* held; NULL: no waiter */
	void (*fn)(void *arg);
	void *arg;
};

static struct obj_domain *domain;
static struct obj_class task_class, queue_class, event_class;
static __thread struct task *current; /* the task that this thread runs now */

/* --- handles -------------------------------------------------------------------------------- */

/* The first step of every function: the object behind the handle, or NULL and a line that says
 * why. */
static void *checked(struct obj_class *cls, obj_h handle, const char *where)
{
	void *self = obj_get(cls, handle);
	struct obj_diag diag;

	if (self == NULL) {
		obj_why(cls, handle, &diag);
		printf("%s: %s\n", where, obj_error_text(diag.why));
		fprintf(stderr, "%s: %s\n", where, diag.text);
	}
	return self;
}

/* --- events --------------------------------------------------------------------------------- */

static int event_construct(void *self, void *arg)
{
	struct event *e = self;

	e->queue = arg;
	obj_hold(e->queue);
	return 0;
}

static void event_destroy(void *self)
{
	obj_drop(((struct event *)self)->queue);
}

static obj_h event_new(obj_h queue)
{
	struct queue *q = checked(&queue_class, queue, "event_new");
	struct event *e = q != NULL ? obj_new_at(&event_class, q, OBJ_HERE) : NULL;

	return e != NULL ? obj_handle(e) : NULL;
}

/* --- tasks ---------------------------------------------------------------------------------- */

struct spawn {
	struct queue *queue;
	struct event *event;
	void (*fn)(void *arg);
	void *arg;
};

static int task_construct(void *self, void *arg)
{
	struct task *t = self;
	const struct spawn *s = arg;

	t->queue = s->queue;
	t->event = s->event;
	t->fn = s->fn;
	t->arg = s->arg;
	obj_hold(t->queue);
	if (t->event != NULL)
		obj_hold(t->event);
	return 0;
}

static void task_destroy(void *self)
{
	struct task *t = self;

	obj_drop(t->queue);
	if (t->event != NULL)
		obj_drop(t->event);
}

static int task_describe(const void *self, char *buf, size_t n)
{
	return snprintf(
		buf, n, "%s", ((const struct task *)self)->next ? "queued" : "done or running");
}

/* Queues fn(arg); `event' (or NULL) fires when it has run.  The handle is the caller's to free, at
 * any time. */
static obj_h task_spawn(obj_h queue, obj_h event, void (*fn)(void *arg), void *arg)
{
	struct queue *q = checked(&queue_class, queue, "task_spawn");
	struct event *e = event != NULL ? checked(&event_class, event, "task_spawn") : NULL;
	struct spawn s = {q, e, fn, arg};
	struct task *t;
	obj_h h;

	if (q == NULL || (event != NULL && e == NULL))
		return NULL;
	t = obj_new(&task_class, &s);
	if (t == NULL)
		return NULL;
	h = obj_share(t); /* the runtime's own */
	if (current != NULL)
		obj_attr_dup(current, t);
	pthread_mutex_lock(&q->lock);
	*q->last = t;
	q->last = &t->next;
	pthread_cond_broadcast(&q->change);
	pthread_mutex_unlock(&q->lock);
	return h;
}

/* Runs the first task of the queue.  Called with the queue's lock held, which is open while it
 * runs. */
static void task_run_first(struct queue *q)
{
	struct task *t = q->first, *outer = current;

	q->first = t->next;
	if (q->first == NULL)
		q->last = &q->first;
	t->next = NULL;
	pthread_mutex_unlock(&q->lock);

	current = t;
	t->fn(t->arg);
	current = outer;

	pthread_mutex_lock(&q->lock);
	if (t->event != NULL) {
		t->event->fired = 1;
		pthread_cond_broadcast(&q->change);
	}
	pthread_mutex_unlock(&q->lock);
	obj_free_obj(t);
	pthread_mutex_lock(&q->lock);
}

/* Returns when the event has fired; runs other tasks meanwhile. */
static void event_wait(obj_h event)
{
	struct event *e = checked(&event_class, event, "event_wait");

	if (e == NULL)
		return;
	obj_hold(e); /* its user may free it while we sleep */
	pthread_mutex_lock(&e->queue->lock);
	while (!e->fired) {
		if (e->queue->first != NULL)
			task_run_first(e->queue);
		else
			pthread_cond_wait(&e->queue->change, &e->queue->lock);
	}
	pthread_mutex_unlock(&e->queue->lock);
	obj_drop(e);
}

/* --- queues --------------------------------------------------------------------------------- */

static void *task_worker(void *arg)
{
	struct queue *q = arg;

	pthread_mutex_lock(&q->lock);
	while (q->first != NULL || !q->closing) {
		if (q->first != NULL)
			task_run_first(q);
		else
			pthread_cond_wait(&q->change, &q->lock);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static int queue_construct(void *self, void *arg)
{
	struct queue *q = self;

	(void)arg;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->change, NULL);
	q->last = &q->first;
	for (int i = 0; i < WORKERS; i++) {
		if (pthread_create(&q->worker[i], NULL, task_worker, q) != 0)
			abort();
	}
	return 0;
}

/* Freeing a queue waits for its tasks: they have all run when obj_free returns. */
static void queue_on_free(void *self)
{
	struct queue *q = self;

	pthread_mutex_lock(&q->lock);
	q->closing = 1;
	pthread_cond_broadcast(&q->change);
	pthread_mutex_unlock(&q->lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(q->worker[i], NULL);
}

static void queue_destroy(void *self)
{
	struct queue *q = self;

	pthread_cond_destroy(&q->change);
	pthread_mutex_destroy(&q->lock);
}

static obj_h queue_new(const char *name)
{
	struct queue *q = obj_new(&queue_class, NULL);

	if (q == NULL)
		return NULL;
	obj_name_set(q, name, OBJ_NAME_MAX, OBJ_C);
	return obj_handle(q);
}

static int tasks_init(void)
{
	static const struct obj_domain_opts opts = {
		.size = sizeof(opts), .name = "tasks", .threads = 1};
	static const struct obj_class_desc task = {.size = sizeof(task),
		.name = "task",
		.obj_size = sizeof(struct task),
		.construct = task_construct,
		.destroy = task_destroy,
		.describe = task_describe};
	static const struct obj_class_desc queue = {.size = sizeof(queue),
		.name = "queue",
		.obj_size = sizeof(struct queue),
		.construct = queue_construct,
		.on_free = queue_on_free,
		.destroy = queue_destroy};
	static const struct obj_class_desc event = {.size = sizeof(event),
		.name = "event",
		.obj_size = sizeof(struct event),
		.construct = event_construct,
		.destroy = event_destroy};

	return obj_domain_open(&domain, &opts) == OBJ_OK &&
	       obj_class_open(&task_class, domain, &task) == OBJ_OK &&
	       obj_class_open(&queue_class, domain, &queue) == OBJ_OK &&
	       obj_class_open(&event_class, domain, &event) == OBJ_OK;
}

/* --- a program ------------------------------------------------------------------------------ */

static obj_h work;
static int depth_key; /* task-local: how deep in the tree of tasks */
static int deepest, spawned, ran;

static int depth_copy(obj_h h, int key, void *extra, void *in, void *out, int *flag)
{
	(void)h, (void)key, (void)extra;
	*(intptr_t *)out = (intptr_t)in + 1;
	*flag = 1;
	return 0;
}

struct fib {
	int n;
	long result;
};

static void task_fib(void *arg)
{
	struct fib *f = arg, part[2] = {{f->n - 1, 0}, {f->n - 2, 0}};
	obj_h event[2], task[2];
	intptr_t depth = 0;
	int found;

	__atomic_fetch_add(&spawned, 1, __ATOMIC_RELAXED);
	obj_attr_get(current, depth_key, OBJ_LANG_C, &depth, &found);
	if (!found)
		obj_attr_set(current, depth_key, OBJ_LANG_C, 1);
	if (depth > __atomic_load_n(&deepest, __ATOMIC_RELAXED))
		__atomic_store_n(&deepest, (int)depth, __ATOMIC_RELAXED);
	f->result = f->n;
	if (f->n < 2)
		return;
	for (int i = 0; i < 2; i++) {
		event[i] = event_new(work);
		task[i] = task_spawn(work, event[i], task_fib, &part[i]);
	}
	for (int i = 0; i < 2; i++) {
		event_wait(event[i]);
		obj_free(&event_class, &event[i]);
		obj_free(&task_class, &task[i]);
	}
	f->result = part[0].result + part[1].result;
}

static void task_count(void *arg)
{
	__atomic_fetch_add((int *)arg, 1, __ATOMIC_RELAXED);
}

int main(void)
{
	struct obj_keyval_desc depth = {.size = sizeof(depth), .copy = (void (*)(void))depth_copy};
	struct fib f = {15, 0};
	obj_h done, task, old;

	if (!tasks_init() || obj_keyval_new(&task_class, &depth, &depth_key) != OBJ_OK)
		return 1;
	work = queue_new("work");
	done = event_new(work);
	task = task_spawn(work, done, task_fib, &f);
	event_wait(done);
	obj_free(&task_class, &task);
	printf("fib(%d) = %ld: %d tasks, %d deep\n", f.n, f.result, spawned, deepest);

	for (int i = 0; i < 1000; i++) { /* detached: the handle goes, the task runs */
		task = task_spawn(work, NULL, task_count, &ran);
		obj_free(&task_class, &task);
	}
	event_wait(done); /* fired long ago */
	event_wait(work); /* no event: refused */

	old = work;
	obj_free(&queue_class, &work); /* waits for its tasks */
	printf("%d detached tasks ran\n", ran);
	task_spawn(old, NULL, task_count, &ran);  /* no queue any more: refused */
	task_spawn(work, NULL, task_count, &ran); /* obj_free left NULL: refused */

	obj_keyval_free(&task_class, &depth_key);
	fflush(stdout);
	printf("%ld left\n", obj_domain_close(domain, STDOUT_FILENO,
				     OBJ_FMT_TEXT)); /* `done', and its objects */
	return 0;
}
