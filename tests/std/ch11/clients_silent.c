// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1 env="HAFT_IFACE=lo" idle */
/* MPI-5.0 11.9.2, 11.9.3: connections to a port that say nothing hold up neither the time limit of
 * MPI_Comm_accept nor MPI_Close_port nor a client behind them.  A client that an accept has greeted
 * and not served waits for the next one, however late. */
#include "tests/std/ch11/other_job.h"
#include "libnet/net.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/un.h>

#define SILENT 50 /* each cost 5 s once */
#define SOON_S 60 /* far less than that */

static char port[MPI_MAX_PORT_NAME];
static int silent[SILENT + 2 * 128];

static int connect_tcp(void)
{
	const char *at = strstr(port, "tcp:127.0.0.1:");
	struct sockaddr_in a = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(at != NULL);
	a.sin_port = htons((uint16_t)atoi(at + strlen("tcp:127.0.0.1:")));
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0);
	return fd;
}

static void silent_open(int n)
{
	for (int i = 0; i < n; i++)
		silent[i] = connect_tcp();
}

static void silent_close(int n)
{
	for (int i = 0; i < n; i++)
		close(silent[i]);
}

static void accept_one(void)
{
	MPI_Comm c;

	OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
	OK(MPI_Comm_disconnect(&c));
}

/* The time limit is kept, and a client behind the silent ones is served. */
static void limit_and_client(int n)
{
	MPI_Comm c;
	MPI_Info info;
	double begin = MPI_Wtime();
	pid_t client;

	silent_open(n);
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "timeout", "0.3"));
	FAILS(MPI_ERR_PORT, "0.3 s", MPI_Comm_accept(port, info, 0, MPI_COMM_SELF, &c));
	OK(MPI_Info_free(&info));
	expect(MPI_Wtime() - begin < SOON_S);
	begin = MPI_Wtime();
	client = other_job_start("client", port);
	accept_one();
	expect(MPI_Wtime() - begin < SOON_S);
	other_job_end(client);
	silent_close(n);
}

/* Both have been greeted when the first is served. */
static void silent_late(void)
{
	pid_t client[2];

	for (int i = 0; i < 2; i++)
		client[i] = other_job_start("client", port);
	usleep(500000);
	accept_one();
	usleep(6000000); /* more than a handshake may take */
	accept_one();
	for (int i = 0; i < 2; i++)
		other_job_end(client[i]);
}

static void *closer(void *arg)
{
	usleep(300000);
	OK(MPI_Close_port(port));
	return arg;
}

static void close_meanwhile(void)
{
	double begin = MPI_Wtime();
	pthread_t t;
	MPI_Comm c;

	silent_open(SILENT);
	CHECK(pthread_create(&t, NULL, closer, NULL) == 0);
	FAILS(MPI_ERR_PORT, "closed meanwhile",
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
	CHECK(pthread_join(t, NULL) == 0);
	expect(MPI_Wtime() - begin < SOON_S);
	silent_close(SILENT);
}

int main(int argc, char **argv)
{
	int provided;
	MPI_Comm c;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (argc > 2) {
		OK(MPI_Comm_connect(argv[2], MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
		OK(MPI_Comm_disconnect(&c));
		MPI_Finalize();
		return check_end();
	}
	OK(MPI_Open_port(MPI_INFO_NULL, port));
	limit_and_client(SILENT);
	limit_and_client((int)(sizeof(silent) / sizeof(silent[0])));
	silent_late();
	if (provided == MPI_THREAD_MULTIPLE)
		close_meanwhile();
	else
		OK(MPI_Close_port(port));
	MPI_Finalize();
	return check_end();
}
