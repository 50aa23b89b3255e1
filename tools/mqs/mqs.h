// SPDX-License-Identifier: BSD-3-Clause
/* mqs.h - the interface, version 2, by which a debugger reads queues of messages.
 *
 *     debugger ── dlopen(MPIR_dll_name) ──> libhaft-mqs.so
 *        │  mqs_setup_image, mqs_setup_process           calls down
 *        │  mqs_next_communicator, mqs_next_operation
 *        └< find_symbol, fetch, alloc ...                 calls back, by tables of functions
 *
 * TotalView, DDT and their like have these structures compiled in: order, types and sizes are fixed
 * by the interface. */
#ifndef HAFT_TOOLS_MQS_H
#define HAFT_TOOLS_MQS_H

#include <stddef.h>

#define MQS_VERSION 2

enum { MQS_OK, MQS_NO_INFORMATION, MQS_END_OF_LIST, MQS_FIRST_OWN = 100 };
enum { MQS_PENDING_SENDS, MQS_PENDING_RECEIVES, MQS_UNEXPECTED_MESSAGES };
enum { MQS_PENDING, MQS_MATCHED, MQS_COMPLETE };

#define MQS_NAME  64
#define MQS_TEXTS 5

/* Opaque: of the debugger; and this library's, which the debugger keeps. */
struct mqs_image;
struct mqs_process;
struct mqs_type;
struct mqs_image_info;
struct mqs_process_info;

struct mqs_type_sizes {
	int short_size, int_size, long_size, long_long_size, pointer_size, bool_size, size_t_size;
};

struct mqs_communicator {
	unsigned long unique_id;
	long local_rank, size;
	char name[MQS_NAME];
};

struct mqs_operation {
	int status;
	long desired_local_rank, desired_global_rank; /* -1: any */
	int tag_wild;
	long desired_tag, desired_length;
	int system_buffer;
	unsigned long buffer;
	long actual_local_rank, actual_global_rank, actual_tag, actual_length;
	char extra_text[MQS_TEXTS][MQS_NAME];
};

/* --- tables of the debugger's functions ------------------------------------------------------ */

struct mqs_basic_callbacks {
	void *(*alloc)(size_t n);
	void (*release)(void *p);
	void (*print)(const char *text);
	char *(*error_text)(int code);
	void (*image_info_put)(struct mqs_image *i, struct mqs_image_info *info);
	struct mqs_image_info *(*image_info_get)(struct mqs_image *i);
	void (*process_info_put)(struct mqs_process *p, struct mqs_process_info *info);
	struct mqs_process_info *(*process_info_get)(struct mqs_process *p);
};

struct mqs_image_callbacks {
	void (*type_sizes)(struct mqs_process *p, struct mqs_type_sizes *sizes);
	int (*find_function)(struct mqs_image *i, char *name, int language, unsigned long *at);
	int (*find_symbol)(struct mqs_image *i, char *name, unsigned long *at);
	struct mqs_type *(*find_type)(struct mqs_image *i, char *name, int language);
	int (*field_offset)(struct mqs_type *t, char *name);
	int (*size_of)(struct mqs_type *t);
};

struct mqs_process_callbacks {
	int (*global_rank)(struct mqs_process *p);
	struct mqs_image *(*image)(struct mqs_process *p);
	int (*fetch)(struct mqs_process *p, unsigned long at, int n, void *to);
	void (*to_host)(struct mqs_process *p, const void *in, void *out, int n);
};

/* --- this library's functions.  Those that return int: MQS_OK, or why not --------------------- */

void mqs_setup_basic_callbacks(const struct mqs_basic_callbacks *c);
char *mqs_version_string(void);
int mqs_version_compatibility(void);
int mqs_dll_taddr_width(void); /* bytes */
char *mqs_dll_error_string(int code);

int mqs_setup_image(struct mqs_image *i, const struct mqs_image_callbacks *c);
int mqs_image_has_queues(struct mqs_image *i, char **why); /* why: NULL, or for printf */
void mqs_destroy_image_info(struct mqs_image_info *info);

int mqs_setup_process(struct mqs_process *p, const struct mqs_process_callbacks *c);
int mqs_process_has_queues(struct mqs_process *p, char **why);
void mqs_destroy_process_info(struct mqs_process_info *info);

/* Communicators: setup, then get and next until MQS_END_OF_LIST.  group: ranks in MPI_COMM_WORLD,
 * of a communicator's size. */
int mqs_update_communicator_list(struct mqs_process *p);
int mqs_setup_communicator_iterator(struct mqs_process *p);
int mqs_get_communicator(struct mqs_process *p, struct mqs_communicator *c);
int mqs_get_comm_group(struct mqs_process *p, int *group);
int mqs_next_communicator(struct mqs_process *p);

/* Operations of the current communicator of one kind: setup, then next until MQS_END_OF_LIST. */
int mqs_setup_operation_iterator(struct mqs_process *p, int kind);
int mqs_next_operation(struct mqs_process *p, struct mqs_operation *o);

#endif
