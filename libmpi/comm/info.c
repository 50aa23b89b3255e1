// SPDX-License-Identifier: BSD-3-Clause
/* info.c - lists of keys and values (MPI-5.0 chapter 10), in the order in which the keys were first
 * set.
 *
 * A list is short, so a key is looked for from the front.  Strings are copied in and out; blanks
 * around them are the user's and stay.  Works before MPI_Init and after MPI_Finalize. */
#include "libmpi/comm/info.h"

#include "libmpi/core/err.h"
#include "libmpi/core/state.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static int no_memory(void)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory for an info object");
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* The link that leads to the pair with this key, or the last link. */
static struct info_pair **find(struct info *info, const char *key)
{
	struct info_pair **at = &info->pairs;

	while (*at != NULL && strcmp((*at)->key, key) != 0)
		at = &(*at)->next;
	return at;
}

static int check_key(const char *key)
{
	size_t n = strnlen(key, MPI_MAX_INFO_KEY);

	if (n == 0)
		return haft_err(MPI_ERR_INFO_KEY, "the key is empty");
	if (n == MPI_MAX_INFO_KEY)
		return haft_err(MPI_ERR_INFO_KEY, "the key is longer than %d characters",
			MPI_MAX_INFO_KEY - 1);
	return 0;
}

int info_set(struct info *info, const char *key, const char *value)
{
	int err = check_key(key);
	struct info_pair **at;
	char *copy;

	if (err != 0)
		return err;
	if (strnlen(value, MPI_MAX_INFO_VAL) == MPI_MAX_INFO_VAL)
		return haft_err(MPI_ERR_INFO_VALUE,
			"the value of key \"%s\" is longer than %d characters", key,
			MPI_MAX_INFO_VAL - 1);
	copy = strdup(value);
	if (copy == NULL)
		return no_memory();
	at = find(info, key);
	if (*at == NULL) {
		size_t n = strlen(key) + 1;

		*at = calloc(1, sizeof(**at) + n);
		if (*at == NULL) {
			free(copy);
			return no_memory();
		}
		memcpy((*at)->key, key, n);
	}
	free((*at)->value);
	(*at)->value = copy;
	return 0;
}

int info_delete(struct info *info, const char *key)
{
	int err = check_key(key);
	struct info_pair **at, *p;

	if (err != 0)
		return err;
	at = find(info, key);
	p = *at;
	if (p == NULL)
		return haft_err(MPI_ERR_INFO_NOKEY, "there is no key \"%s\"", key);
	*at = p->next;
	free(p->value);
	free(p);
	return 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* *buflen: room in value, 0: only ask; then what the whole value needs, NUL included (10.0). */
int info_get_string(struct info *info, const char *key, int *buflen, char *value, int *flag)
{
	int err = check_key(key);
	const struct info_pair *p;
	size_t n;

	if (err != 0)
		return err;
	p = *find(info, key);
	*flag = p != NULL;
	if (p == NULL)
		return 0;
	n = strlen(p->value) + 1;
	if (*buflen > 0)
		snprintf(value, (size_t)*buflen, "%s", p->value);
	*buflen = (int)n;
	return 0;
}

/* The deprecated form: valuelen does not count the NUL, for which there is room (16.1). */
int info_get(struct info *info, const char *key, int valuelen, char *value, int *flag)
{
	int room = valuelen + 1;

	if (valuelen < 0)
		return haft_err(MPI_ERR_ARG, "valuelen is %d; it must not be negative", valuelen);
	return info_get_string(info, key, &room, value, flag);
}

int info_get_valuelen(struct info *info, const char *key, int *valuelen, int *flag)
{
	int room = 0, err = info_get_string(info, key, &room, NULL, flag);

	if (err == 0 && *flag)
		*valuelen = room - 1;
	return err;
}

int info_get_nkeys(struct info *info, int *nkeys)
{
	*nkeys = 0;
	for (const struct info_pair *p = info->pairs; p != NULL; p = p->next)
		++*nkeys;
	return 0;
}

int info_get_nthkey(struct info *info, int n, char *key)
{
	const struct info_pair *p = info->pairs;
	int nkeys;

	for (int i = 0; i < n && p != NULL; i++)
		p = p->next;
	if (p == NULL) {
		info_get_nkeys(info, &nkeys);
		return haft_err(
			MPI_ERR_ARG, "there is no key %d: the info object has %d", n, nkeys);
	}
	memcpy(key, p->key, strlen(p->key) + 1);
	return 0;
}

/* --- objects ---------------------------------------------------------------------------------- */

int info_create(struct info **info)
{
	*info = obj_new(&haft_info_class, NULL);
	return *info != NULL ? 0 : no_memory();
}

int info_dup(struct info *info, struct info **newinfo)
{
	struct info *n;
	int err = info_create(&n);

	for (const struct info_pair *p = info->pairs; p != NULL && err == 0; p = p->next)
		err = info_set(n, p->key, p->value);
	if (err == 0)
		*newinfo = n;
	else if (n != NULL)
		obj_free_obj(n);
	return err;
}

int info_free(struct info **info)
{
	if (obj_free_obj(*info) == OBJ_PERMANENT)
		return haft_err(MPI_ERR_INFO, "MPI_INFO_ENV is predefined: it cannot be freed");
	*info = NULL;
	return 0;
}

/* --- what is known of the start (11.2.1) -------------------------------------------------------
 */

static const char *level_name(int level)
{
	switch (level) {
	case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
	case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
	case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
	}
	return "MPI_THREAD_MULTIPLE";
}

/* Sets a value that fits; what does not fit is not told. */
static void tell(struct info *info, const char *key, const char *value)
{
	if (value != NULL && value[0] != '\0' && strlen(value) < MPI_MAX_INFO_VAL)
		info_set(info, key, value);
}

static void fill(struct info *info)
{
	char text[MPI_MAX_INFO_VAL], number[16];
	struct utsname host;
	ssize_t n = readlink("/proc/self/exe", text, sizeof(text) - 1);

	if (n > 0) {
		text[n] = '\0';
		tell(info, "command", text);
	}
	if (haft_life.state == HAFT_RUNNING) {
		snprintf(number, sizeof(number), "%d", haft_life.size);
		tell(info, "maxprocs", number);
		tell(info, "thread_level", level_name(haft_life.thread_level));
	}
	tell(info, "wdir", getcwd(text, sizeof(text)));
	if (uname(&host) == 0) {
		tell(info, "host", host.nodename);
		tell(info, "arch", host.machine);
	}
}

int info_create_env(int argc, char *argv[], struct info **info)
{
	char args[MPI_MAX_INFO_VAL] = "";
	size_t at = 0;
	int err = info_create(info);

	if (err != 0)
		return err;
	fill(*info);
	for (int i = 1; i < argc && argv != NULL && argv[i] != NULL && at < sizeof(args); i++)
		at += (size_t)snprintf(
			args + at, sizeof(args) - at, "%s%s", i > 1 ? " " : "", argv[i]);
	if (at < sizeof(args))
		tell(*info, "argv", args);
	return 0;
}

static struct info env;

int info_open(void)
{
	int err = obj_permanent(
		&haft_info_class, (uint32_t)(uintptr_t)MPI_INFO_ENV, &env, "MPI_INFO_ENV", 0);

	if (err != OBJ_OK)
		return haft_err(MPI_ERR_NO_MEM, "MPI_INFO_ENV: %s", obj_error_text(err));
	fill(&env);
	return 0;
}
