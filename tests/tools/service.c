// SPDX-License-Identifier: BSD-3-Clause
/* service.c - publishes, finds and withdraws names, as its arguments say: for name_server.sh.
 *
 *   service [-k KEY=VALUE]... publish NAME     publishes a port, accepts one client, withdraws
 *   service [-k KEY=VALUE]... leave NAME       publishes it, and ends without a word to MPI
 *   service [-k KEY=VALUE]... lookup NAME      finds the port and connects to it
 *   service [-k KEY=VALUE]... errors NAME      refusals
 *   service [-k KEY=VALUE]... withdraw NAME    publishes a port, withdraws it without the keys
 *   service noise ADDRESS                      sends rubbish to the address of a name server
 *   service silence ADDRESS                    connects 200 times, and says nothing */
#include <mpi.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static MPI_Info info;
static char port[MPI_MAX_PORT_NAME];

static void service_tell(const char *what, int err)
{
	char text[MPI_MAX_ERROR_STRING];
	int len, class;

	MPI_Error_class(err, &class);
	MPI_Error_string(err, text, &len);
	printf("%s: %s%s\n", what,
		class == MPI_SUCCESS          ? "good"
		: class == MPI_ERR_NAME       ? "MPI_ERR_NAME "
		: class == MPI_ERR_SERVICE    ? "MPI_ERR_SERVICE "
		: class == MPI_ERR_INFO_VALUE ? "MPI_ERR_INFO_VALUE "
					      : "other ",
		class == MPI_SUCCESS ? "" : text);
	fflush(stdout);
}

static void publish(const char *name, int leave)
{
	MPI_Comm c;

	MPI_Open_port(MPI_INFO_NULL, port);
	service_tell("publish", MPI_Publish_name(name, info, port));
	if (leave)
		_exit(0);
	MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c);
	MPI_Comm_disconnect(&c);
	service_tell("unpublish", MPI_Unpublish_name(name, info, port));
	MPI_Close_port(port);
}

static void lookup(const char *name)
{
	int err = MPI_Lookup_name(name, info, port);
	MPI_Comm c;

	service_tell("lookup", err);
	if (err != MPI_SUCCESS)
		return;
	MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c);
	MPI_Comm_disconnect(&c);
}

/* Publishing twice, replacing, withdrawing twice. */
static void service_errors(const char *name)
{
	char got[MPI_MAX_PORT_NAME] = "";

	service_tell("publish", MPI_Publish_name(name, info, "first"));
	service_tell("again", MPI_Publish_name(name, info, "second"));
	MPI_Info_set(info, "haft_replace", "true");
	service_tell("replace", MPI_Publish_name(name, info, "third"));
	service_tell("lookup", MPI_Lookup_name(name, info, got));
	printf("found: %s\n", got);
	service_tell("unpublish", MPI_Unpublish_name(name, info, got));
	service_tell("unpublish again", MPI_Unpublish_name(name, info, got));
	service_tell("lookup again", MPI_Lookup_name(name, info, got));
}

/* The name is withdrawn wherever it is, if it leads to the port.  One process does it. */
static void withdraw(const char *name)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		service_tell("publish", MPI_Publish_name(name, info, "my port"));
		service_tell("wrong", MPI_Unpublish_name(name, MPI_INFO_NULL, "other port"));
		service_tell("withdraw", MPI_Unpublish_name(name, MPI_INFO_NULL, "my port"));
		service_tell("found", MPI_Lookup_name(name, info, port));
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* A connection to address: haft-names://HOST/tcp:1.2.3.4:567/SECRET. */
static int service_connect(const char *address)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	const char *tcp = strstr(address, "/tcp:");
	char ip[64] = "";
	int number = 0, fd = socket(AF_INET, SOCK_STREAM, 0);

	if (tcp == NULL || sscanf(tcp, "/tcp:%63[0-9.]:%d", ip, &number) != 2)
		exit(1);
	a.sin_port = htons((uint16_t)number);
	inet_pton(AF_INET, ip, &a.sin_addr);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		exit(1);
	return fd;
}

static void silence(const char *address)
{
	for (int i = 0; i < 200; i++)
		service_connect(address);
	puts("silent");
	fflush(stdout);
	pause();
}

static void noise(const char *address)
{
	char rubbish[1000];
	int fd = service_connect(address);
	ssize_t n;

	memset(rubbish, 'x', sizeof(rubbish));
	if (send(fd, rubbish, sizeof(rubbish), MSG_NOSIGNAL) != sizeof(rubbish))
		exit(1);
	while ((n = read(fd, rubbish, sizeof(rubbish))) > 0)
		continue;
	puts("hung up");
	exit(0);
}

int main(int argc, char **argv)
{
	int i = 1;

	if (argc == 3 && strcmp(argv[1], "noise") == 0)
		noise(argv[2]);
	if (argc == 3 && strcmp(argv[1], "silence") == 0)
		silence(argv[2]);
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Info_create(&info);
	for (; i + 1 < argc && strcmp(argv[i], "-k") == 0; i += 2) {
		char *eq = strchr(argv[i + 1], '=');

		*eq = '\0';
		MPI_Info_set(info, argv[i + 1], eq + 1);
	}
	if (i + 1 < argc && strcmp(argv[i], "lookup") == 0)
		lookup(argv[i + 1]);
	else if (i + 1 < argc && strcmp(argv[i], "errors") == 0)
		service_errors(argv[i + 1]);
	else if (i + 1 < argc && strcmp(argv[i], "withdraw") == 0)
		withdraw(argv[i + 1]);
	else if (i + 1 < argc)
		publish(argv[i + 1], strcmp(argv[i], "leave") == 0);
	MPI_Info_free(&info);
	MPI_Finalize();
	return 0;
}
