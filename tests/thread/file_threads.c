// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.6, 14.4.3, 14.4.4, 14.6.1: many threads use one handle: each access takes its own part
 * at the individual and at the shared pointer, and moves exactly its bytes. */
#include "tests/check.h"
#include "tests/std/ch14/file_name.h"
#include <pthread.h>

enum { THREADS = 6, EACH = 150, RECORD = 512 };

static MPI_File f;
static unsigned char seen[1 << 16]; /* by record: how often */

/* Fills a record with words that name it. */
static void record_fill(unsigned *word, unsigned id)
{
	for (unsigned i = 0; i < RECORD / 4; i++)
		word[i] = id * 131 + i;
}

static void *writer(void *arg)
{
	unsigned word[RECORD / 4], id = (unsigned)(long)arg;
	MPI_Request r;

	for (int i = 0; i < EACH; i++) {
		record_fill(word, id + (unsigned)i);
		if (i % 3 == 0) {
			OK(MPI_File_iwrite_shared(f, word, RECORD / 4, MPI_UNSIGNED, &r));
			OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		} else {
			OK(MPI_File_write_shared(
				f, word, RECORD / 4, MPI_UNSIGNED, MPI_STATUS_IGNORE));
		}
	}
	return NULL;
}

static void *file_reader(void *arg)
{
	unsigned word[RECORD / 4];
	MPI_Status s;
	int n;

	for (;;) {
		OK(MPI_File_read(f, word, RECORD / 4, MPI_UNSIGNED, &s));
		OK(MPI_Get_count(&s, MPI_UNSIGNED, &n));
		if (n == 0)
			return arg;
		expect_eq(n, RECORD / 4);
		expect(word[0] % 131 == 0);
		for (unsigned i = 1; i < RECORD / 4; i++)
			if (word[i] != word[0] + i) {
				expect(false);
				break;
			}
		__atomic_fetch_add(&seen[word[0] / 131], 1, __ATOMIC_RELAXED);
	}
}

/* Runs a function in all threads.  The records of thread t begin at `first'. */
static void file_threads(void *(*fn)(void *))
{
	pthread_t t[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, fn, (void *)((check_rank * THREADS + i) * (long)EACH));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	const char *name;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &check_size);
	if (level < MPI_THREAD_MULTIPLE)
		check_skip("no MPI_THREAD_MULTIPLE");
	name = file_name("threads");
	f = file_new(MPI_COMM_WORLD, name);
	file_threads(writer);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	file_threads(file_reader); /* each process reads all records once */
	for (int i = 0; i < THREADS * EACH * check_size; i++)
		expect_eq(seen[i], 1);
	OK(MPI_File_close(&f)); /* deletes it */
	MPI_Finalize();
	return check_end();
}
