// SPDX-License-Identifier: BSD-3-Clause
/* info.c - info objects: lists of keys and values (MPI-5.0 chapter 10), in the order of first
 * setting.
 *
 * A list is short, so a key is searched from the front.  Strings are copied in and out; blanks
 * around a value stay.  Works before MPI_Init and after MPI_Finalize. */
#include "libmpi/env/info.h"

#include "libmpi/core/err.h"
#include "libobj/base.h"
#include <engine.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int info_no_memory(void)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory for an info object");
}

/* --- pairs ---------------------------------------------------------------------------------- */

const char *env_info_find(const struct info *info, const char *key)
{
	const struct info_pair *p = info->pairs;

	while (p != NULL && strcmp(p->key, key) != 0)
		p = p->next;
	return p != NULL ? p->value : NULL;
}

/* The string without the blanks around it: *n bytes from the result on. */
static const char *info_strip(const char *s, size_t *n)
{
	s += strspn(s, " ");
	*n = strlen(s);
	while (*n > 0 && s[*n - 1] == ' ')
		--*n;
	return s;
}

bool env_info_flag(const struct info *info, const char *key, bool normal)
{
	const char *v = info != NULL ? env_info_find(info, key) : NULL;
	size_t n;

	if (v == NULL)
		return normal;
	v = info_strip(v, &n);
	if (n == 4 && strncmp(v, "true", n) == 0)
		return true;
	if (n == 5 && strncmp(v, "false", n) == 0)
		return false;
	return normal;
}

bool env_info_number(const struct info *info, const char *key, int *number)
{
	const char *v = info != NULL ? env_info_find(info, key) : NULL;
	char *end;
	size_t n;
	long l;

	if (v == NULL)
		return false;
	v = info_strip(v, &n);
	errno = 0;
	l = strtol(v, &end, 10);
	if (n == 0 || end != v + n || errno != 0 || l < INT_MIN || l > INT_MAX)
		return false;
	*number = (int)l;
	return true;
}

/* The link that leads to the pair with this key, or the last link. */
static struct info_pair **info_link(struct info *info, const char *key)
{
	struct info_pair **at = &info->pairs;

	while (*at != NULL && strcmp((*at)->key, key) != 0)
		at = &(*at)->next;
	return at;
}

static int info_key_check(const char *key)
{
	size_t n = strnlen(key, MPI_MAX_INFO_KEY);

	if (n == 0)
		return haft_err(MPI_ERR_INFO_KEY, "the key is empty");
	if (n == MPI_MAX_INFO_KEY)
		return haft_err(MPI_ERR_INFO_KEY, "the key is longer than %d characters",
			MPI_MAX_INFO_KEY - 1);
	return 0;
}

HAFT_START int env_info_set(struct info *info, const char *key, const char *value)
{
	int err = info_key_check(key);
	struct info_pair **at;
	char *copy;

	if (err != 0)
		return err;
	if (strnlen(value, MPI_MAX_INFO_VAL + 1) > MPI_MAX_INFO_VAL) /* chapter 10: not -1 */
		return haft_err(MPI_ERR_INFO_VALUE,
			"the value of key \"%s\" is longer than %d characters", key,
			MPI_MAX_INFO_VAL);
	copy = strdup(value);
	if (copy == NULL)
		return info_no_memory();
	at = info_link(info, key);
	if (*at == NULL) {
		size_t n = strlen(key) + 1;

		*at = calloc(1, sizeof(**at) + n);
		if (*at == NULL) {
			free(copy);
			return info_no_memory();
		}
		memcpy((*at)->key, key, n);
	}
	free((*at)->value);
	(*at)->value = copy;
	return 0;
}

int env_info_delete(struct info *info, const char *key)
{
	int err = info_key_check(key);
	struct info_pair **at, *p;

	if (err != 0)
		return err;
	at = info_link(info, key);
	p = *at;
	if (p == NULL)
		return haft_err(MPI_ERR_INFO_NOKEY, "there is no key \"%s\"", key);
	*at = p->next;
	free(p->value);
	free(p);
	return 0;
}

/* --- reading -------------------------------------------------------------------------------- */

/* *buflen: bytes of value, 0: only the length is asked for; afterwards the bytes that the whole
 * value needs, with its NUL (10). */
int env_info_get_string(struct info *info, const char *key, int *buflen, char *value, int *flag)
{
	int err = info_key_check(key);
	const struct info_pair *p;
	size_t n;

	if (err != 0)
		return err;
	p = *info_link(info, key);
	*flag = p != NULL;
	if (p == NULL)
		return 0;
	n = strlen(p->value) + 1;
	if (*buflen > 0 && value == NULL)
		return haft_err(MPI_ERR_ARG, "value is NULL, and buflen is %d", *buflen);
	if (*buflen > 0)
		snprintf(value, (size_t)*buflen, "%s", p->value);
	*buflen = (int)n;
	return 0;
}

/* The deprecated form: valuelen does not count the NUL, for which there is room (16.1). */
int env_info_get(struct info *info, const char *key, int valuelen, char *value, int *flag)
{
	int room = valuelen + 1;

	if (valuelen < 0)
		return haft_err(MPI_ERR_ARG, "valuelen is %d; it must not be negative", valuelen);
	return env_info_get_string(info, key, &room, value, flag);
}

int env_info_get_valuelen(struct info *info, const char *key, int *valuelen, int *flag)
{
	int room = 0, err = env_info_get_string(info, key, &room, NULL, flag);

	if (err == 0 && *flag)
		*valuelen = room - 1;
	return err;
}

int env_info_get_nkeys(struct info *info, int *nkeys)
{
	*nkeys = 0;
	for (const struct info_pair *p = info->pairs; p != NULL; p = p->next)
		++*nkeys;
	return 0;
}

int env_info_get_nthkey(struct info *info, int n, char *key)
{
	const struct info_pair *p = info->pairs;
	int nkeys;

	for (int i = 0; i < n && p != NULL; i++)
		p = p->next;
	if (p == NULL) {
		env_info_get_nkeys(info, &nkeys);
		return haft_err(
			MPI_ERR_ARG, "there is no key %d: the info object has %d", n, nkeys);
	}
	memcpy(key, p->key, strlen(p->key) + 1);
	return 0;
}

/* --- objects -------------------------------------------------------------------------------- */

int env_info_create(struct info **info)
{
	*info = obj_new(&haft_info_class, NULL);
	return *info != NULL ? 0 : info_no_memory();
}

int env_info_dup(struct info *info, struct info **newinfo)
{
	struct info *n;
	int err = env_info_create(&n);

	for (const struct info_pair *p = info->pairs; p != NULL && err == 0; p = p->next)
		err = env_info_set(n, p->key, p->value);
	if (err == 0)
		*newinfo = n;
	else if (n != NULL)
		obj_free_obj(n);
	return err;
}

int env_info_free(struct info **info)
{
	if (obj_free_obj(*info) == OBJ_PERMANENT)
		return haft_err(MPI_ERR_INFO, "MPI_INFO_ENV is predefined: it cannot be freed");
	*info = NULL;
	return 0;
}
