// SPDX-License-Identifier: BSD-3-Clause
/* trace_read.c - reads a file of mpiexec -trace, F.pftrace or F.json, for trace.sh.
 *
 * Prints "NAME N" for the spans of each name, and counts that tell whether the timeline is whole:
 *     processes N (that have names), spans N, tracks N, arrows N, halves N (arrows with one end),
 *     backward N (that end NS before they begin), crossing N (spans that overlap without being
 *     inside of each other) */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 200000

struct span {
	uint64_t track;
	double begin, end;
	char name[48];
};

static struct span span[MOST];
static int nspans;
static int processes;
static struct {
	int begins, ends;
	double from, to;
} arrow[MOST];

__attribute__((noreturn)) static void trace_die(const char *words)
{
	printf("bad file: %s\n", words);
	exit(1);
}

static struct span *span_add(uint64_t track, double begin)
{
	if (nspans == MOST)
		trace_die("too many spans");
	span[nspans] = (struct span){.track = track, .begin = begin, .end = -1};
	return &span[nspans++];
}

static void arrow_end(uint64_t id, bool begins, double at)
{
	if (id >= MOST)
		trace_die("the id of an arrow");
	arrow[id].begins += begins;
	arrow[id].ends += !begins;
	*(begins ? &arrow[id].from : &arrow[id].to) = at;
}

/* --- protobuf --------------------------------------------------------------------------------- */

struct bytes {
	const unsigned char *at, *end;
};

static uint64_t varint(struct bytes *b)
{
	uint64_t n = 0;

	for (int shift = 0;; shift += 7) {
		unsigned char c;

		if (b->at == b->end || shift > 63)
			trace_die("a number is cut");
		c = *b->at++;
		n |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return n;
	}
}

/* The next field: its number, and a number or bytes; 0: there is none. */
static int field(struct bytes *b, uint64_t *n, struct bytes *inner)
{
	uint64_t key;

	if (b->at == b->end)
		return 0;
	key = varint(b);
	switch (key & 7) {
	case 0: *n = varint(b); break;
	case 1:
		if (b->end - b->at < 8)
			trace_die("8 bytes are cut");
		memcpy(n, b->at, 8);
		b->at += 8;
		break;
	case 2:
		*n = varint(b);
		if ((uint64_t)(b->end - b->at) < *n)
			trace_die("bytes are cut");
		*inner = (struct bytes){b->at, b->at + *n};
		b->at += *n;
		break;
	default: trace_die("a key");
	}
	return (int)(key >> 3);
}

static char interned[16384][48];

static void text_take(char to[48], struct bytes b)
{
	size_t len = (size_t)(b.end - b.at);

	memset(to, 0, 48);
	memcpy(to, b.at, len < 47 ? len : 47);
}

static void interned_take(struct bytes b)
{
	struct bytes entry, text = {NULL, NULL};
	uint64_t n, id = 0;

	while (field(&b, &n, &entry) != 0) {
		for (int f; (f = field(&entry, &n, &text)) != 0;)
			if (f == 1)
				id = n;
		if (id >= 16384)
			trace_die("the number of a name");
		text_take(interned[id], text);
	}
}

/* The innermost span of a track that is open. */
static struct span *span_open(uint64_t track)
{
	for (int i = nspans - 1; i >= 0; i--)
		if (span[i].track == track && span[i].end < 0)
			return &span[i];
	trace_die("a span ends that has not begun");
}

static void event_take(struct bytes b, double at)
{
	uint64_t n, type = 0, track = 0, id = 0;
	struct bytes inner;
	char name[48] = "";

	for (int f; (f = field(&b, &n, &inner)) != 0;) {
		if (f == 9)
			type = n;
		if (f == 11)
			track = n;
		if (f == 10)
			id = n;
		if (f == 23)
			text_take(name, inner);
		if (f == 47 || f == 48)
			arrow_end(n, f == 47, at);
	}
	if (id >= 16384 || (id > 0 && interned[id][0] == '\0'))
		trace_die("a name that is not known");
	if (type == 1)
		memcpy(span_add(track, at)->name, id > 0 ? interned[id] : name, 48);
	if (type == 2)
		span_open(track)->end = at;
}

/* A track is that of a process, which has a name, or that of a thread. */
static void track_take(struct bytes b)
{
	bool process = false, thread = false;
	struct bytes inner, own;
	uint64_t n;

	for (int f; (f = field(&b, &n, &inner)) != 0;) {
		thread |= f == 4;
		for (int g; f == 3 && (g = field(&inner, &n, &own)) != 0;)
			process |= g == 6;
	}
	if (process == thread)
		trace_die("a track that is of a process and of a thread, or of none");
	processes += process;
}

static void packet_take(struct bytes b)
{
	struct bytes inner, event = {NULL, NULL};
	uint64_t n, at = 0;

	for (int f; (f = field(&b, &n, &inner)) != 0;) {
		if (f == 8)
			at = n;
		if (f == 11)
			event = inner;
		if (f == 12)
			interned_take(inner);
		if (f == 60)
			track_take(inner);
	}
	if (event.at != NULL)
		event_take(event, (double)at);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static const char *json;

static void blanks(void)
{
	while (isspace((unsigned char)*json))
		json++;
}

static void expect(char c)
{
	blanks();
	if (*json++ != c)
		trace_die("JSON");
}

static void json_string(char to[48])
{
	int n = 0;

	expect('"');
	for (; *json != '"'; json++) {
		if ((unsigned char)*json < ' ')
			trace_die("a text of JSON");
		if (*json == '\\')
			json++;
		if (n < 47)
			to[n++] = *json;
	}
	to[n] = '\0';
	json++;
}

struct event {
	char name[48], ph[48], text[48];
	double ts, dur, pid, tid, id;
};

static void json_value(struct event *e);

/* An object: its numbers and texts go to e, if that is not NULL. */
static void json_object(struct event *e)
{
	char key[48];

	expect('{');
	for (blanks(); *json != '}'; blanks()) {
		struct event own = {.ts = 0};

		json_string(key);
		expect(':');
		json_value(&own);
		if (e != NULL) {
			double *to = strcmp(key, "ts") == 0    ? &e->ts
				     : strcmp(key, "dur") == 0 ? &e->dur
				     : strcmp(key, "pid") == 0 ? &e->pid
				     : strcmp(key, "tid") == 0 ? &e->tid
				     : strcmp(key, "id") == 0  ? &e->id
							       : NULL;
			if (to != NULL)
				*to = own.ts;
			if (strcmp(key, "name") == 0)
				memcpy(e->name, own.text, 48);
			if (strcmp(key, "ph") == 0)
				memcpy(e->ph, own.text, 48);
		}
		blanks();
		if (*json == ',')
			json++;
		else if (*json != '}')
			trace_die("an object of JSON");
	}
	json++;
}

static void json_event(void)
{
	struct event e = {.id = 0};
	struct span *s;

	json_object(&e);
	if (strcmp(e.ph, "X") == 0) {
		s = span_add((uint64_t)e.pid * 256 + (uint64_t)e.tid, e.ts * 1000);
		s->end = s->begin + e.dur * 1000;
		memcpy(s->name, e.name, 48);
	}
	processes += strcmp(e.ph, "M") == 0 && strcmp(e.name, "process_name") == 0;
	if (strcmp(e.ph, "s") == 0 || strcmp(e.ph, "f") == 0)
		arrow_end((uint64_t)e.id, *e.ph == 's', e.ts * 1000);
}

static void json_value(struct event *e)
{
	char *end;

	blanks();
	if (*json == '{') {
		json_object(NULL);
	} else if (*json == '[') {
		for (json++, blanks(); *json != ']'; blanks()) {
			json_event();
			blanks();
			if (*json == ',')
				json++;
		}
		json++;
	} else if (*json == '"') {
		json_string(e->text);
	} else {
		e->ts = strtod(json, &end);
		if (end == json)
			trace_die("a number of JSON");
		json = end;
	}
}

/* --- what there is ---------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct span *)a)->name, ((const struct span *)b)->name);
}

static int by_time(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

static void spans_tell(void)
{
	int crossing = 0, n = 0;

	qsort(span, (size_t)nspans, sizeof(span[0]), by_time);
	for (int i = 1; i < nspans; i++) {
		int k = i - 1;

		while (k >= 0 && span[k].track == span[i].track && span[k].end <= span[i].begin)
			k--;
		crossing += k >= 0 && span[k].track == span[i].track &&
			    span[k].end + 1 < span[i].end && span[k].end > span[i].begin + 1;
	}
	for (int i = 0; i < nspans; i++)
		if (i == 0 || span[i].track != span[i - 1].track)
			n++;
	printf("spans %d\ntracks %d\ncrossing %d\n", nspans, n, crossing);
	qsort(span, (size_t)nspans, sizeof(span[0]), by_name);
	for (int i = 0; i < nspans; i += n) {
		for (n = 1; i + n < nspans && by_name(&span[i], &span[i + n]) == 0;)
			n++;
		printf("%s %d\n", span[i].name, n);
	}
}

static void arrows_tell(double slack)
{
	int n = 0, halves = 0, backward = 0;

	for (int i = 0; i < MOST; i++) {
		n += arrow[i].begins > 0 && arrow[i].ends > 0;
		halves += arrow[i].begins != arrow[i].ends;
		backward += arrow[i].begins > 0 && arrow[i].to + slack < arrow[i].from;
	}
	printf("arrows %d\nhalves %d\nbackward %d\nprocesses %d\n", n, halves, backward, processes);
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	struct bytes b, packet;
	uint64_t n;
	char *all;
	long len;

	if (f == NULL)
		trace_die("no file");
	fseek(f, 0, SEEK_END);
	len = ftell(f);
	rewind(f);
	all = calloc(1, (size_t)len + 1);
	if (all == NULL || fread(all, 1, (size_t)len, f) != (size_t)len)
		trace_die("it cannot be read");
	if (*all == '{') {
		json = all;
		json_value(&(struct event){.id = 0});
		blanks();
		if (*json != '\0')
			trace_die("more than one value of JSON");
	} else {
		b = (struct bytes){(unsigned char *)all, (unsigned char *)all + len};
		for (int k; (k = field(&b, &n, &packet)) != 0;)
			if (k != 1)
				trace_die("something else than packets");
			else
				packet_take(packet);
	}
	arrows_tell(argc > 2 ? atof(argv[2]) : 0);
	spans_tell();
	return 0;
}
