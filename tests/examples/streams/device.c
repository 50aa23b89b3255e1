// SPDX-License-Identifier: BSD-3-Clause
/* device.c - the device's life, and the first step of every function: it looks its handles up.
 *
 *     st_init ──► domain, classes, workers ......... st_finalize ──► workers end, leaks are told
 *
 * One domain has all classes, so a handle of another kind is told as that ("a buffer, not a queue")
 * and not as garbage. */
#include "inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct device device = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static __thread char error_words[512];

int error_say(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error_words, sizeof(error_words), fmt, ap);
	va_end(ap);
	return code;
}

const char *st_error_text(void)
{
	return error_words;
}

int64_t time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void *object_take(struct obj_class *cls, obj_h handle, const char *where)
{
	void *self = obj_acquire(cls, handle);
	struct obj_diag diag;

	if (self != NULL)
		return self;
	if (device.domain == NULL) {
		error_say(ST_HANDLE, "%s: the device does not run", where);
		return NULL;
	}
	obj_why(cls, handle, &diag);
	error_say(ST_HANDLE, "%s: %s", where, diag.text);
	return NULL;
}

int object_free(struct obj_class *cls, obj_h *handle, const char *where, uintptr_t site)
{
	struct obj_diag diag;
	int rc;

	if (device.domain == NULL)
		return error_say(ST_HANDLE, "%s: the device does not run", where);
	obj_why(cls, *handle, &diag);
	obj_site_set(site);
	rc = obj_free(cls, handle);
	obj_site_set(0);
	if (rc == OBJ_OK)
		return ST_OK;
	if (rc == OBJ_CALLBACK)
		return error_say(ST_REFUSED, "%s: the delete callback of an attribute returned %d",
			where, obj_user_rc());
	return error_say(ST_HANDLE, "%s: %s", where, diag.text);
}

int object_name(struct obj_class *cls, obj_h handle, const char *name, const char *where)
{
	void *self = object_take(cls, handle, where);
	int rc;

	if (self == NULL)
		return ST_HANDLE;
	rc = obj_name_set(self, name, strlen(name), OBJ_C);
	obj_drop(self);
	return rc == OBJ_OK ? ST_OK : error_say(ST_NOMEM, "%s: %s", where, obj_error_text(rc));
}

static int classes_open(void)
{
	const struct {
		struct obj_class *cls;
		const struct obj_class_desc *desc;
	} all[] = {{&device.queues, &queue_desc}, {&device.events, &event_desc},
		{&device.buffers, &buffer_desc}, {&device.kernels, &kernel_desc},
		{&device.errhs, &errh_desc}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (obj_class_open(all[i].cls, device.domain, all[i].desc) != OBJ_OK)
			return ST_NOMEM;
	return ST_OK;
}

static int threads_start(int threads)
{
	device.threads = obj_mem_get(device.domain, (size_t)threads * sizeof(*device.threads));
	if (device.threads == NULL)
		return ST_NOMEM;
	device.ending = 0;
	for (device.nthreads = 0; device.nthreads < threads; device.nthreads++)
		if (pthread_create(&device.threads[device.nthreads], NULL, worker_run, NULL) != 0)
			return ST_NOMEM;
	return ST_OK;
}

int st_init(int threads)
{
	struct obj_domain_opts opts = {.size = sizeof(opts), .name = "streams", .threads = 1};

	if (device.domain != NULL)
		return error_say(ST_INVALID, "st_init: the device runs already");
	if (threads < 0)
		return error_say(ST_INVALID, "st_init: %d threads", threads);
	if (obj_domain_open(&device.domain, &opts) != OBJ_OK)
		return error_say(ST_NOMEM, "st_init: no memory");
	if (classes_open() == ST_OK && threads_start(threads > 0 ? threads : 2) == ST_OK)
		return ST_OK;
	st_finalize(-1);
	return error_say(ST_NOMEM, "st_init: no memory, or no threads");
}

long st_finalize(int fd)
{
	struct obj_domain *domain = device.domain;

	if (domain == NULL)
		return 0;
	pthread_mutex_lock(&device.lock);
	while (device.busy != NULL && device.nthreads > 0)
		pthread_cond_wait(&device.change, &device.lock);
	device.ending = 1;
	pthread_cond_broadcast(&device.change);
	pthread_mutex_unlock(&device.lock);
	for (int i = 0; i < device.nthreads; i++)
		pthread_join(device.threads[i], NULL);
	obj_mem_put(domain, device.threads);
	device.nthreads = 0;
	device.domain = NULL;
	return obj_domain_close(domain, fd, OBJ_FMT_TEXT);
}
