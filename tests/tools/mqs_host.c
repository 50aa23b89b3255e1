// SPDX-License-Identifier: BSD-3-Clause
/* mqs_host.c - a debugger that can only show queues of messages, for queues.sh.  Its arguments are
 * the library libhaft-mqs.so and a process, whose memory it reads by /proc/PID/mem. */
#include "tools/mqs/mqs.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int pid, mem;
static struct mqs_image_info *image_info;
static struct mqs_process_info *process_info;

/* --- the debugger's functions ---------------------------------------------------------------- */

static void image_put(struct mqs_image *i, struct mqs_image_info *info)
{
	(void)i;
	image_info = info;
}

static struct mqs_image_info *image_get(struct mqs_image *i)
{
	(void)i;
	return image_info;
}

static void process_put(struct mqs_process *p, struct mqs_process_info *info)
{
	(void)p;
	process_info = info;
}

static struct mqs_process_info *process_get(struct mqs_process *p)
{
	(void)p;
	return process_info;
}

static struct mqs_image *image_of(struct mqs_process *p)
{
	return (struct mqs_image *)(void *)p;
}

static int rank_of(struct mqs_process *p)
{
	(void)p;
	return 0;
}

/* The symbol in the library that the process has mapped. */
static int symbol_find(struct mqs_image *i, char *name, unsigned long *at)
{
	char path[64], line[4400], *file;
	unsigned long from;
	void *library, *symbol;
	Dl_info info;
	FILE *f;

	(void)i;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strstr(line, "libmpi_abi.so") == NULL)
			continue;
		fclose(f);
		from = strtoul(line, NULL, 16);
		file = strchr(line, '/');
		file[strcspn(file, "\n")] = '\0';
		library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
		symbol = library != NULL ? dlsym(library, name) : NULL;
		if (symbol == NULL || dladdr(symbol, &info) == 0)
			return 1;
		*at = from + ((uintptr_t)symbol - (uintptr_t)info.dli_fbase);
		return MQS_OK;
	}
	return 1;
}

static int data_fetch(struct mqs_process *p, unsigned long at, int n, void *to)
{
	(void)p;
	return pread(mem, to, (size_t)n, (off_t)at) == n ? MQS_OK : 1;
}

static const struct mqs_basic_callbacks basic = {.alloc = malloc,
	.release = free,
	.image_info_put = image_put,
	.image_info_get = image_get,
	.process_info_put = process_put,
	.process_info_get = process_get};
static const struct mqs_image_callbacks of_image = {.find_symbol = symbol_find};
static const struct mqs_process_callbacks of_process = {
	.global_rank = rank_of, .image = image_of, .fetch = data_fetch};

/* --- the library's functions ------------------------------------------------------------------ */

static struct {
	void (*basic)(const struct mqs_basic_callbacks *c);
	int (*version)(void);
	int (*width)(void);
	int (*setup_image)(struct mqs_image *i, const struct mqs_image_callbacks *c);
	int (*image_has)(struct mqs_image *i, char **why);
	int (*setup_process)(struct mqs_process *p, const struct mqs_process_callbacks *c);
	int (*process_has)(struct mqs_process *p, char **why);
	int (*comms)(struct mqs_process *p);
	int (*comm)(struct mqs_process *p, struct mqs_communicator *c);
	int (*group)(struct mqs_process *p, int *group);
	int (*comm_next)(struct mqs_process *p);
	int (*ops)(struct mqs_process *p, int kind);
	int (*op_next)(struct mqs_process *p, struct mqs_operation *o);
	void (*process_end)(struct mqs_process_info *info);
	void (*image_end)(struct mqs_image_info *info);
} mqs;

static void symbol_take(void *library, const char *name, void *to)
{
	void *symbol = dlsym(library, name);

	if (symbol == NULL) {
		printf("no %s\n", name);
		exit(1);
	}
	memcpy(to, &symbol, sizeof(symbol));
}

static void library_open(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (library == NULL) {
		printf("%s\n", dlerror());
		exit(1);
	}
	symbol_take(library, "mqs_setup_basic_callbacks", &mqs.basic);
	symbol_take(library, "mqs_version_compatibility", &mqs.version);
	symbol_take(library, "mqs_dll_taddr_width", &mqs.width);
	symbol_take(library, "mqs_setup_image", &mqs.setup_image);
	symbol_take(library, "mqs_image_has_queues", &mqs.image_has);
	symbol_take(library, "mqs_setup_process", &mqs.setup_process);
	symbol_take(library, "mqs_process_has_queues", &mqs.process_has);
	symbol_take(library, "mqs_setup_communicator_iterator", &mqs.comms);
	symbol_take(library, "mqs_get_communicator", &mqs.comm);
	symbol_take(library, "mqs_get_comm_group", &mqs.group);
	symbol_take(library, "mqs_next_communicator", &mqs.comm_next);
	symbol_take(library, "mqs_setup_operation_iterator", &mqs.ops);
	symbol_take(library, "mqs_next_operation", &mqs.op_next);
	symbol_take(library, "mqs_destroy_process_info", &mqs.process_end);
	symbol_take(library, "mqs_destroy_image_info", &mqs.image_end);
}

static void ops_print(struct mqs_process *p, int kind, const char *name)
{
	struct mqs_operation o;

	if (mqs.ops(p, kind) != MQS_OK)
		return;
	while (mqs.op_next(p, &o) == MQS_OK)
		printf("  %s: rank %ld (%ld), tag %ld%s, %ld bytes, status %d%s\n", name,
			o.desired_local_rank, o.desired_global_rank,
			o.tag_wild ? -1 : o.desired_tag, o.tag_wild ? " any" : "", o.desired_length,
			o.status, o.extra_text[1][0] != '\0' ? ", not the user's" : "");
}

static void comm_print(struct mqs_process *p)
{
	struct mqs_communicator c;
	int group[64];

	if (mqs.comm(p, &c) != MQS_OK || c.size > 64)
		return;
	printf("%s: rank %ld of %ld", c.name, c.local_rank, c.size);
	if (mqs.group(p, group) == MQS_OK)
		for (int r = 0; r < c.size; r++)
			printf("%s%d", r == 0 ? ", ranks " : " ", group[r]);
	printf("\n");
	ops_print(p, MQS_PENDING_SENDS, "send");
	ops_print(p, MQS_PENDING_RECEIVES, "receive");
	ops_print(p, MQS_UNEXPECTED_MESSAGES, "unexpected");
}

int main(int argc, char **argv)
{
	struct mqs_process *p = (struct mqs_process *)(void *)&pid;
	char path[64], *why = NULL;

	if (argc < 3)
		return 2;
	pid = atoi(argv[2]);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY);
	if (mem < 0)
		return 77;
	library_open(argv[1]);
	mqs.basic(&basic);
	printf("version %d, %d bytes\n", mqs.version(), mqs.width());
	if (mqs.setup_image(image_of(p), &of_image) != MQS_OK ||
		mqs.image_has(image_of(p), &why) != MQS_OK ||
		mqs.setup_process(p, &of_process) != MQS_OK || mqs.process_has(p, &why) != MQS_OK) {
		printf("no queues\n");
		return 1;
	}
	for (int err = mqs.comms(p); err == MQS_OK; err = mqs.comm_next(p))
		comm_print(p);
	mqs.process_end(process_info);
	mqs.image_end(image_info);
	return 0;
}
