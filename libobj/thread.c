// SPDX-License-Identifier: BSD-3-Clause
/* thread.c - state of a thread: its free slots by class, its reap list, its site.
 *
 * A thread attaches itself when it first wants a slot and detaches by a destructor of
 * thread-specific data, which gives its free slots back to their classes.  The thread-local part is
 * a few words: libraries that are opened at run time have little room there. */
#include "libobj/obj_inner.h"
#include <pthread.h>
#include <string.h>

struct obj_lock obj_threads_lock = OBJ_LOCK_INIT(RANK_THREADS, "threads");
static struct obj_thread *threads;
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool key_made;

#define MAGS_BYTES (MAGS * sizeof(struct mag))

static void thread_unlink(struct obj_thread *t)
{
	obj_lock_always(&obj_threads_lock);
	if (t->prev != NULL)
		t->prev->next = t->next;
	else
		threads = t->next;
	if (t->next != NULL)
		t->next->prev = t->prev;
	obj_unlock_always(&obj_threads_lock);
}

/* Runs at the end of the thread.  A later destructor that frees objects attaches it again. */
static void thread_detach(void *arg)
{
	struct obj_thread *t = arg;

	obj_this_thread.defer = 0;
	obj_this_thread.nlocks = 0;
	reap_if_due();
	for (uint32_t id = 0; id < MAGS; id++) {
		struct obj_class *c = obj_class_by_id(id);

		if (c != NULL)
			obj_mag_return(c, &t->mags[id]);
	}
	thread_unlink(t);
	obj_os_release(t->mags, MAGS_BYTES);
	t->mags = NULL;
}

static void thread_key_make(void)
{
	key_made = pthread_key_create(&key, thread_detach) == 0;
}

bool obj_thread_attach(void)
{
	struct mag *mags;

	if (obj_this_thread.mags != NULL)
		return true;
	pthread_once(&key_once, thread_key_make);
	if (!key_made)
		return false;
	mags = obj_os_reserve(MAGS_BYTES);
	if (mags == NULL)
		return false;
	if (!obj_os_commit(mags, MAGS_BYTES) || pthread_setspecific(key, &obj_this_thread) != 0) {
		obj_os_release(mags, MAGS_BYTES);
		return false;
	}
	obj_this_thread.mags = mags;
	obj_this_thread.prev = NULL;
	obj_lock_always(&obj_threads_lock);
	obj_this_thread.next = threads;
	if (threads != NULL)
		threads->prev = &obj_this_thread;
	threads = &obj_this_thread;
	obj_unlock_always(&obj_threads_lock);
	return true;
}

void obj_threads_forget(uint32_t id)
{
	obj_lock_always(&obj_threads_lock);
	for (struct obj_thread *t = threads; t != NULL; t = t->next)
		memset(&t->mags[id], 0, sizeof(t->mags[id]));
	obj_unlock_always(&obj_threads_lock);
}

/* Only this thread exists in the child; the memory of the others can still be read. */
void obj_threads_lost(bool *lost)
{
	static const struct mag unused;
	struct obj_thread *next;

	for (struct obj_thread *t = threads; t != NULL; t = next) {
		next = t->next;
		if (t == &obj_this_thread)
			continue;
		for (uint32_t id = 0; id < MAGS; id++)
			lost[id] |= memcmp(&t->mags[id], &unused, sizeof(unused)) != 0;
		obj_os_release(t->mags, MAGS_BYTES);
	}
	threads = obj_this_thread.mags != NULL ? &obj_this_thread : NULL;
	obj_this_thread.next = obj_this_thread.prev = NULL;
}
