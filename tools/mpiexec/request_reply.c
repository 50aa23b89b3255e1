// SPDX-License-Identifier: BSD-3-Clause
/* request_reply.c - replies to the request of a process, on this host or under a proxy. */
#include "tools/mpiexec/requests.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/pmi_server.h"
#include "tools/mpiexec/remote_ranks.h"

char *request_word(const char *text)
{
	char *word = mem_grow(NULL, 3 * strlen(text) + 1, 1), *to = word;

	for (; *text != '\0'; text++)
		if ((unsigned char)*text <= ' ' || *text == '%')
			to += snprintf(to, 4, "%%%02X", (unsigned char)*text);
		else
			*to++ = *text;
	*to = '\0';
	return word;
}

void request_reply(struct job *j, int entry, const char *fmt, ...)
{
	va_list ap;
	char *text, *line;

	va_start(ap, fmt);
	text = text_new_args(fmt, ap);
	va_end(ap);
	line = text_new("%s\n", text);
	if (local_row(&j->local, entry) >= 0)
		pmi_reply(j->local.pmi, local_row(&j->local, entry), line);
	else if (j->remote != NULL)
		remote_reply(j->remote, entry, line);
	free(line);
	free(text);
}
