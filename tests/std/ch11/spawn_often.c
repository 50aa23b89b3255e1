// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* RUN np=2 env="HAFT_SEATS=40" */
/* MPI-5.0 11.8, 11.10.4: spawned and disconnected processes leave nothing behind, here or in the
 * segment: descriptors and memory stay as they were after the first rounds. */
#include "tests/check.h"
#define SAN_OPTIONS SAN_LEAN
#include "tests/san.inc"

#include <dirent.h>

#define FEW    20
#define MANY   60
#define BLOCKS 8
#define LARGE  (1 << 20)

static char data[LARGE];

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n;
}

/* KiB of a line of /proc/self/status. */
static long status_of(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			kib = strtol(line + strlen(key), NULL, 10);
	if (f != NULL)
		fclose(f);
	return kib;
}

/* Messages enough for rings and pipes both ways. */
static void often_exchange(MPI_Comm inter, int peer)
{
	for (int n = 0; n < 20; n++)
		OK(MPI_Sendrecv_replace(
			data, 200, MPI_CHAR, peer, 0, peer, 0, inter, MPI_STATUS_IGNORE));
	OK(MPI_Sendrecv_replace(data, LARGE, MPI_CHAR, peer, 0, peer, 0, inter, MPI_STATUS_IGNORE));
}

static void spawn(char *self, int rounds)
{
	MPI_Comm inter;

	for (int i = 0; i < rounds; i++) {
		OK(MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
			MPI_ERRCODES_IGNORE));
		often_exchange(inter, 0);
		OK(MPI_Comm_disconnect(&inter));
	}
}

/* Descriptors and memory of this process. */
struct held {
	int fds;
	long shared, private; /* KiB */
};

static struct held held_now(void)
{
	return (struct held){descriptors(), status_of("RssShmem:"), status_of("RssAnon:")};
}

/* Runs MANY rounds.  True: they have left nothing.  malloc may keep a buffer. */
static bool rounds_leave_nothing(char *self, struct held *before)
{
	struct held now;
	bool nothing;

	spawn(self, MANY);
	now = held_now();
	nothing = now.fds <= before->fds && now.shared < before->shared + 256 &&
		  now.private < before->private + 4096 * san_times();
	if (!nothing)
		printf("%d rounds: descriptors %d to %d, shared %ld to %ld KiB, private %ld to %ld "
		       "KiB\n",
			MANY, before->fds, now.fds, before->shared, now.shared, before->private,
			now.private);
	*before = now;
	return nothing;
}

/* A leak grows with the rounds.  The memory for children that live at once does not: over hosts
 * they are a dozen, since children end after their parents have gone on. */
static void parents(char *self)
{
	struct held held;
	bool nothing = false;

	spawn(self, FEW);
	held = held_now();
	for (int i = 0; i < BLOCKS && !nothing; i++)
		nothing = rounds_leave_nothing(self, &held);
	expect(nothing);
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&parent));
	if (parent != MPI_COMM_NULL) {
		often_exchange(parent, 0);
		OK(MPI_Comm_disconnect(&parent));
	} else {
		parents(argv[0]);
	}
	MPI_Finalize();
	return check_end();
}
