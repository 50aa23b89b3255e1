// SPDX-License-Identifier: BSD-3-Clause
/* comm_spawn.c - MPI_Comm_spawn and MPI_Comm_spawn_multiple (MPI-5.0 11.8).
 *
 *      root:      ids for the inter-communicator -- commands, birth text --> launcher
 *                 <-- numbers of the children, error codes ------------------- it starts them
 *      all:       <-- bcast by the root: struct spawn_result
 *                 inter-communicator {comm's group, the children}
 *      children:  make theirs in MPI_Init (parent.c)
 *
 * Arguments that mean something at the root only are read nowhere else.  An error of the root is
 * the error of all members, with its words.  While the root waits for the launcher it makes
 * progress, and other threads may call MPI. */
#include "libmpi/boot/control.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/leader_exchange.h"
#include "libmpi/core/err.h"
#include "libmpi/core/rank_name.h"
#include "libmpi/core/setting.h"
#include "libmpi/dyn/connect.h"
#include "libmpi/dyn/connected.h"
#include "libmpi/dyn/dyn.h"
#include "libmpi/dyn/port.h"
#include "libmpi/ft/ft.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/alias.h"
#include <engine.h>
#include <limits.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The result, as the root sends it to the members. */
struct spawn_result {
	int32_t err;                    /* class of MPI: nothing was started */
	int32_t first, n, total, world; /* as struct boot_spawned */
	int32_t spawn_id;
	int32_t by_port; /* the children come to a port of the root */
	struct comm_ids ids;
	char words[BOOT_WORDS];
	int32_t codes;     /* 0: the code of each process is err */
	int32_t errcode[]; /* [codes] */
};

/* The request of the root. */
struct spawn_request {
	struct boot_command *command; /* [count], malloc'ed, and the keys of each */
	int count;
	int total; /* processes that are wanted */
	struct comm_ids ids;
	bool by_port;
	char port[1 + MPI_MAX_PORT_NAME]; /* 'P' and the port's name: the birth text then */
};

/* --- the request ---------------------------------------------------------------------------- */

static void request_fini(struct spawn_request *q)
{
	for (int i = 0; q->command != NULL && i < q->count; i++)
		free((struct boot_key *)(uintptr_t)q->command[i].keys);
	free(q->command);
}

/* The keys of an info object, NULL: none.  They stay the object's. */
static int request_keys(struct boot_command *c, const struct info *info)
{
	struct boot_key *keys;
	int n = 0;

	if (info == NULL)
		return 0;
	for (const struct info_pair *p = info->pairs; p != NULL; p = p->next)
		n++;
	keys = malloc(((size_t)n + 1) * sizeof(*keys));
	if (keys == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d keys", n);
	c->keys = keys;
	for (const struct info_pair *p = info->pairs; p != NULL; p = p->next)
		keys[c->nkeys++] = (struct boot_key){p->key, p->value};
	return 0;
}

/* Adds up the processes that are wanted: each has a code, whatever else is wrong. */
static int request_count(struct spawn_request *q, int count, const int maxprocs[])
{
	int total = 0;

	for (int i = 0; i < count; i++) {
		if (maxprocs[i] < 0)
			return haft_err(
				MPI_ERR_ARG, "maxprocs of command %d is %d", i, maxprocs[i]);
		if (maxprocs[i] > INT_MAX - total)
			return haft_err(
				MPI_ERR_ARG, "the maxprocs add up to more than %d", INT_MAX);
		total += maxprocs[i];
	}
	q->total = total;
	return 0;
}

static int request_add(struct spawn_request *q, int i, const char *command, char *const *argv,
	int maxprocs, const struct info *info)
{
	if (command == NULL || command[0] == '\0')
		return haft_err(MPI_ERR_ARG, "command %d is %s", i,
			command == NULL ? "a null pointer" : "empty");
	q->command[i] = (struct boot_command){.path = command, .argv = argv, .maxprocs = maxprocs};
	return request_keys(&q->command[i], info);
}

/* --- the launcher --------------------------------------------------------------------------- */

static bool launcher_spawning; /* a spawn of this process is under way; under the library's lock */

static bool launcher_free(void *arg)
{
	(void)arg;
	return !launcher_spawning;
}

static bool launcher_answered(void *arg)
{
	(void)arg;
	return boot_answer_wait(0) != 0;
}

/* Waits until ready() with progress.  No wake-up comes from the launcher: naps are short. */
static void launcher_wait(bool (*ready)(void *arg))
{
	static const uint32_t nap_ns = 100000;
	const struct p2p_condition want = {.ready = ready, .nap_ns = &nap_ns};

	p2p_progress_until(&want);
}

/* Children meet their parents at a port if they are not of our universe, or if some parent is not:
 * then numbers do not mean the same to all. */
static bool launcher_strangers(const struct group *parents)
{
	bool strangers = !boot_spawn_same_universe();

	for (int i = 0; i < parents->size && !strangers; i++)
		strangers = group_peer(parents, i) >= VIA_ALIAS_FIRST;
	return strangers;
}

/* The children will come to a port, which is opened if it is not yet. */
static int launcher_port(struct spawn_request *q)
{
	q->by_port = true;
	if (q->port[0] != '\0')
		return 0;
	q->port[0] = DYN_BIRTH_PORT;
	return dyn_port_open(NULL, q->port + 1);
}

/* The birth text, malloc'ed. */
static int launcher_birth(struct spawn_request *q, const struct group *parents, char **birth)
{
	int err = launcher_strangers(parents) ? launcher_port(q) : 0;

	if (err != 0)
		return err;
	q->ids = comm_ctx_mint(CTX_FEW);
	*birth = q->by_port ? strdup(q->port) : dyn_birth_write(parents, q->ids);
	return *birth != NULL ? 0 : haft_err(MPI_ERR_NO_MEM, "no memory for a spawn");
}

/* Takes the answer of the launcher.  err: of the request. */
static void launcher_answer(int err, struct boot_spawned *r)
{
	if (err == 0) {
		launcher_wait(launcher_answered);
		boot_spawn_end(r);
		return;
	}
	*r = (struct boot_spawned){.err = err};
	snprintf(r->words, sizeof(r->words), "%s", haft_err_text(err));
}

/* The launcher has said that the children need hosts which are not of this job. */
static void launcher_other_hosts(struct spawn_request *q, struct boot_spawned *r)
{
	char *hosts = r->other_hosts;
	int err = launcher_port(q);

	free(r->errcode);
	if (err == 0)
		err = boot_spawn_other_hosts(q->command, q->count, q->port, hosts);
	launcher_answer(err, r);
	free(hosts);
}

/* Asks the launcher.  r->errcode is malloc'ed or NULL. */
static void launcher_spawn(struct spawn_request *q, struct group *parents, struct boot_spawned *r)
{
	char *birth = NULL;
	int err = launcher_birth(q, parents, &birth);

	launcher_wait(launcher_free);
	launcher_spawning = true;
	if (err == 0)
		err = boot_spawn_begin(q->command, q->count, birth);
	launcher_answer(err, r);
	if (r->other_hosts != NULL)
		launcher_other_hosts(q, r);
	launcher_spawning = false;
	free(birth);
}

/* --- the result ----------------------------------------------------------------------------- */

static size_t result_bytes(int codes)
{
	return sizeof(struct spawn_result) + (size_t)codes * sizeof(int32_t);
}

/* Spawns at the root.  err: the error of its arguments, or 0. */
static int result_of_root(
	struct spawn_request *q, struct group *parents, int err, struct spawn_result **result)
{
	int codes = err == 0 ? q->total : 0;
	struct spawn_result *s = calloc(1, result_bytes(codes));
	struct boot_spawned r = {.err = err};

	if (s == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for the error codes of %d processes", q->total);
	if (err != 0)
		snprintf(r.words, sizeof(r.words), "%s", haft_err_text(err));
	else
		launcher_spawn(q, parents, &r);
	s->err = r.err;
	s->total = q->total;
	s->codes = codes;
	s->first = r.first;
	s->n = r.n;
	s->world = r.world;
	s->spawn_id = r.spawn_id;
	s->ids = q->ids;
	s->by_port = q->by_port && r.n > 0;
	memcpy(s->words, r.words, sizeof(s->words));
	for (int i = 0; i < s->codes; i++)
		s->errcode[i] = r.errcode != NULL && i < r.total ? r.errcode[i] : r.err;
	free(r.errcode);
	*result = s;
	return 0;
}

/* The children come to a port of the root.  If they do not, the spawn has failed, and they end. */
static int result_by_port(const struct spawn_result *s, const char *port, int root, struct comm *c,
	struct comm **intercomm, int array_of_errcodes[])
{
	char words[HAFT_ERR_TEXT_MAX];
	int err = dyn_port_await(port, c, root, s->spawn_id, intercomm);

	if (err == 0 && c->rank == root)
		dyn_connected_spawned(*intercomm, s->spawn_id);
	if (err != 0 && c->rank == root && s->spawn_id != 0)
		boot_children_end(s->spawn_id);
	if (err != MPI_ERR_PORT && err != MPI_ERR_SPAWN)
		return err;
	for (int i = 0; array_of_errcodes != NULL && i < s->total; i++)
		array_of_errcodes[i] = MPI_ERR_SPAWN;
	snprintf(words, sizeof(words), "%s", haft_err_text(err));
	return haft_err(
		MPI_ERR_SPAWN, "the children have been started, but do not connect: %s", words);
}

/* Every member: error codes, and the inter-communicator.  port: of the root, if it has one. */
static int result_take(const struct spawn_result *s, const char *port, int root, struct comm *c,
	struct comm **intercomm, int array_of_errcodes[])
{
	struct group *children;
	int err;

	for (int i = 0; array_of_errcodes != NULL && i < s->total; i++)
		array_of_errcodes[i] = i < s->codes ? s->errcode[i] : s->err;
	if (s->err != 0)
		return haft_err(s->err, "%s", s->words);
	if (s->by_port != 0)
		return result_by_port(s, port, root, c, intercomm, array_of_errcodes);
	if (s->world > 0)
		haft_world_known(s->world, s->first, s->n);
	err = dyn_group_range(s->first, s->n, &children);
	if (err != 0)
		return err;
	err = dyn_inter_make(c, c->group, children, s->ids, true, intercomm);
	if (err == 0 && c->rank == root && s->n > 0)
		dyn_connected_spawned(*intercomm, s->spawn_id);
	obj_free_obj(children);
	return err;
}

int dyn_spawn_agree(struct comm *c, int err)
{
	char words[HAFT_ERR_TEXT_MAX] = "another member has not got the new processes";
	int good = err == 0, met;

	if (c->size == 1 || haft_setting_get(SETTING_FT) == HAFT_FT_NO)
		return err;
	if (err != 0)
		snprintf(words, sizeof(words), "%s", haft_err_text(err));
	met = ft_settle(c, &good);
	if (met != 0 || good != 0)
		return met;
	return haft_err(err != 0 ? err : MPI_ERR_SPAWN, "%s", words);
}

/* dyn_spawn_agree with HAFT_FT=yes; by default not all members may know yet that failures are
 * survived. */
static int spawn_agree(struct comm *c, int err)
{
	return haft_setting_get(SETTING_FT) == HAFT_FT_YES ? dyn_spawn_agree(c, err) : err;
}

/* The end of a spawn: if a parent has failed meanwhile it fails in all others, and its children
 * end. */
static int spawn_settle(struct comm *c, int err, struct comm **intercomm,
	const struct spawn_result *s, int array_of_errcodes[])
{
	struct comm *made = err == 0 ? *intercomm : NULL;

	err = spawn_agree(c, err);
	if (err == 0 || made == NULL)
		return err;
	if (made->spawned > 0)
		boot_children_end(made->spawned);
	obj_free_obj(made);
	*intercomm = NULL;
	for (int i = 0; array_of_errcodes != NULL && i < s->total; i++)
		array_of_errcodes[i] = MPI_ERR_SPAWN;
	return err;
}

static int spawn_all(struct spawn_request *q, int err, int root, struct comm *c,
	struct comm **intercomm, int array_of_errcodes[])
{
	const struct leader_path path = {.c = c, .plane = CTX_MAKE};
	struct spawn_result *s = NULL;
	struct blob b = {0};

	if (c->rank == root) {
		err = result_of_root(q, c->group, err, &s);
		b.data = s;
		b.bytes = err != 0 ? -err : (int64_t)result_bytes(s->codes);
	}
	if (err == 0 || c->rank == root) {
		int bcast = comm_leader_bcast_blob(&path, c->group, root, &b);

		err = err != 0 ? err : bcast;
	}
	if (err == 0)
		err = result_take(b.data, q->port + 1, root, c, intercomm, array_of_errcodes);
	if (q->by_port && q->port[1] != '\0')
		dyn_port_close(q->port + 1);
	err = spawn_settle(c, err, intercomm, b.data, array_of_errcodes);
	free(b.data);
	return err;
}

/* No child is started if a parent has died before its call. */
static int spawn_comm_check(struct comm *c, enum coll_maker maker)
{
	int err;

	if (c->remote != NULL)
		return haft_err(MPI_ERR_COMM, "the communicator is an inter-communicator");
	err = comm_check_joined(c, maker);
	return spawn_agree(c, err);
}

/* --- the calls ------------------------------------------------------------------------------ */

int dyn_spawn(const char *command, char *argv[], int maxprocs, struct info *info, int root,
	struct comm *comm, struct comm **intercomm, int array_of_errcodes[])
{
	struct boot_command one = {0};
	struct spawn_request q = {.command = &one, .count = 1};
	int err = spawn_comm_check(comm, COLL_COMM_SPAWN);

	if (err != 0)
		return err;
	if (comm->rank == root)
		err = request_count(&q, 1, &maxprocs);
	if (comm->rank == root && err == 0)
		err = request_add(&q, 0, command, argv, maxprocs, info);
	err = spawn_all(&q, err, root, comm, intercomm, array_of_errcodes);
	if (comm->rank == root)
		free((struct boot_key *)(uintptr_t)one.keys);
	return err;
}

/* The arrays of the root are there.  The processes are counted, and there is room for commands. */
static int spawn_arrays(struct spawn_request *q, int count, char *commands[], const int maxprocs[],
	struct haft_infos infos)
{
	int err;

	if (count < 1)
		return haft_err(MPI_ERR_ARG, "count is %d", count);
	if (maxprocs == NULL)
		return haft_err(MPI_ERR_ARG, "array_of_maxprocs is a null pointer");
	err = request_count(q, count, maxprocs);
	if (err == 0 && commands == NULL)
		err = haft_err(MPI_ERR_ARG, "array_of_commands is a null pointer");
	if (err == 0 && infos.v == NULL)
		err = haft_err(MPI_ERR_ARG, "array_of_info is a null pointer");
	if (err != 0)
		return err;
	q->command = calloc((size_t)count, sizeof(*q->command));
	if (q->command == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d commands", count);
	q->count = count;
	return 0;
}

int dyn_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
	const int array_of_maxprocs[], struct haft_infos array_of_info, int root, struct comm *comm,
	struct comm **intercomm, int array_of_errcodes[])
{
	struct spawn_request q = {0};
	int err = spawn_comm_check(comm, COLL_COMM_SPAWN_MULTIPLE);

	if (err != 0)
		return err;
	if (comm->rank == root)
		err = spawn_arrays(&q, count, array_of_commands, array_of_maxprocs, array_of_info);
	for (int i = 0; err == 0 && i < q.count; i++)
		err = request_add(&q, i, array_of_commands[i],
			array_of_argv != NULL ? array_of_argv[i] : NULL, array_of_maxprocs[i],
			haft_info_at(array_of_info, i));
	err = spawn_all(&q, err, root, comm, intercomm, array_of_errcodes);
	request_fini(&q);
	return err;
}
