// SPDX-License-Identifier: BSD-3-Clause
/* lint.c - the house rules that a program can check.
 *
 *     lint [-b BUILD] [-c CC]        prints file:line: rule: message; exit 1 if there is any
 *
 * The files are git's (tracked, or new and not ignored); the arrows between folders, the prefixes
 * of names and the exceptions stand in layers.txt.  A file is read once and kept twice:
 *
 *     text   as it is
 *     code   the same length, with comments and the insides of strings blanked: what rules about
 *            code look at, so that a word in a comment is never a finding
 *
 * No C parser: the format is clang-format's (checked here as well), so that a brace in column 0
 * begins and ends a function, and counting is enough.  Objects are asked by nm, headers are given
 * to the compiler alone; both are the only slow parts and run as child processes. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION_MAX 70   /* lines of a body: one screen */
#define FILE_MAX     1000 /* lines: a chapter */
#define NEST_MAX     3    /* control statements around a statement */
#define COLUMN_MAX   100
#define NAME_MAX_LIB 8 /* letters of a file's name, for the libraries and tools */
#define NAME_MAX_ANY 20
#define LIST_MAX     64 /* words of a line of layers.txt */
#define STACK_MAX    256
#define LINE_LEN     4096

/* One file of the tree. */
struct file {
	char *path, *text, *code;
	size_t len;
	int is_c, is_h; /* by suffix */
};

/* One line of layers.txt. */
struct law {
	char *kind, *folder;
	char *words[LIST_MAX];
	int n;
};

static const char *build = "build/release", *cc = "gcc";
static struct file *files;
static int nfiles;
static struct law *laws;
static int nlaws;
static int findings;

/* --- small things --------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static void found(
	const char *path, int line, const char *rule, const char *fmt, ...)
{
	va_list ap;

	printf("%s:%d: %s: ", path, line, rule);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	findings++;
}

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "lint: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void *must_alloc(void *p, size_t n)
{
	p = realloc(p, n);
	if (p == NULL)
		die("memory");
	return p;
}

static char *must_copy(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(must_alloc(NULL, n), s, n);
}

static int begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static int ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && strcmp(s + n - m, with) == 0;
}

/* Is `path' the file or folder `prefix', or inside it? */
static int inside(const char *path, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(path, prefix, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The line in which `at' stands; base is a file's text or code, whose first newline is ours. */
static int line_of(const char *base, const char *at)
{
	int n = 0;

	for (; base < at; base++)
		n += *base == '\n';
	return n;
}

static struct file *file_of(const char *path)
{
	for (int i = 0; i < nfiles; i++)
		if (strcmp(files[i].path, path) == 0)
			return &files[i];
	return NULL;
}

/* --- reading -------------------------------------------------------------------------------- */

/* Blanks comments and the insides of literals in s. */
static void code_make(char *s)
{
	enum { CODE, LINE, BLOCK, QUOTE } state = CODE;
	char quote = 0;

	for (; *s != '\0'; s++) {
		if (state == CODE) {
			if (s[0] == '/' && (s[1] == '/' || s[1] == '*'))
				state = s[1] == '/' ? LINE : BLOCK;
			else if (*s == '"' || (*s == '\'' && !is_word(s[-1])))
				state = QUOTE;
			quote = *s;
			if (state == BLOCK)
				*s++ = ' ';
			if (state == LINE || state == BLOCK)
				*s = ' ';
		} else if (state == QUOTE) {
			if (*s == quote || *s == '\n')
				state = CODE;
			else if (*s == '\\' && s[1] != '\n' && s[1] != '\0')
				*s++ = ' ';
			if (state == QUOTE)
				*s = ' ';
		} else if (state == LINE && *s == '\n') {
			state = CODE;
		} else if (state == BLOCK && s[0] == '*' && s[1] == '/') {
			*s++ = ' ';
			*s = ' ';
			state = CODE;
		} else if (*s != '\n') {
			*s = ' ';
		}
	}
}

static void file_add(const char *path)
{
	FILE *in = fopen(path, "r");
	struct file f = {0};
	long len;

	if (in == NULL)
		return; /* deleted, not yet committed */
	if (fseek(in, 0, SEEK_END) != 0 || (len = ftell(in)) < 0)
		die(path);
	rewind(in);
	/* A newline in front, so that looking one character back is always allowed. */
	f.text = must_alloc(NULL, (size_t)len + 2);
	f.text[0] = '\n';
	f.len = fread(f.text + 1, 1, (size_t)len, in) + 1;
	fclose(in);
	f.text[f.len] = '\0';
	f.code = must_copy(f.text);
	code_make(f.code + 1);
	f.path = must_copy(path);
	f.is_c = ends(path, ".c");
	f.is_h = ends(path, ".h");
	files = must_alloc(files, (size_t)(nfiles + 1) * sizeof(*files));
	files[nfiles++] = f;
}

static void tree_read(void)
{
	FILE *p = popen("git ls-files --cached --others --exclude-standard", "r");
	char line[LINE_LEN];

	while (p != NULL && fgets(line, sizeof(line), p) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		file_add(line);
	}
	if (p == NULL || pclose(p) != 0)
		die("git ls-files");
}

static void laws_read(void)
{
	FILE *f = fopen("tools/dev/layers.txt", "r");
	char line[LINE_LEN], *save;

	if (f == NULL)
		die("tools/dev/layers.txt");
	while (fgets(line, sizeof(line), f) != NULL) {
		struct law l = {0};
		char *w;

		line[strcspn(line, "#\n")] = '\0';
		for (w = strtok_r(line, ": \t", &save); w != NULL;
			w = strtok_r(NULL, ": \t", &save)) {
			if (l.kind == NULL)
				l.kind = must_copy(w);
			else if (l.folder == NULL)
				l.folder = must_copy(w);
			else if (l.n < LIST_MAX)
				l.words[l.n++] = must_copy(w);
		}
		if (l.folder == NULL)
			continue;
		laws = must_alloc(laws, (size_t)(nlaws + 1) * sizeof(*laws));
		laws[nlaws++] = l;
	}
	fclose(f);
}

/* The law of that kind whose folder fits the path best, or NULL. */
static const struct law *law_of(const char *kind, const char *path)
{
	const struct law *best = NULL;

	for (int i = 0; i < nlaws; i++) {
		const struct law *l = &laws[i];

		if (strcmp(l->kind, kind) != 0 || !inside(path, l->folder))
			continue;
		if (best == NULL || strlen(l->folder) > strlen(best->folder))
			best = l;
	}
	return best;
}

/* --- any text file -------------------------------------------------------------------------- */

/* The SPDX line comes first, or second after #!, in every file but the licence itself. */
static void spdx_check(const struct file *f)
{
	const char *p = f->text + 1;

	if (strcmp(f->path, "LICENSE") == 0)
		return;
	if (begins(p, "#!"))
		p += strcspn(p, "\n") + 1;
	p = strstr(f->text, "SPDX-License-Identifier: BSD-3-Clause") == NULL ? "" : p;
	if (memmem(p, strcspn(p, "\n"), "SPDX-License", 12) == NULL)
		found(f->path, 1, "spdx", "the first line says the licence");
}

/* Words that must not be in any file, and paths of the machine it was written on. */
static void word_check(const struct file *f)
{
	/* spelled so that this file does not contain them */
	static const char *const bad[] = {
		"T\117DO", "FIX\115E", "XX\130", "/w\157rk/", "../sh\141red", "/h\157me/"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t n = strlen(bad[i]);

		for (const char *p = f->text; (p = strstr(p, bad[i])) != NULL; p += n) {
			/* mkstemp's template is longer than the word */
			if (isupper((unsigned char)bad[i][0]) && (is_word(p[-1]) || is_word(p[n])))
				continue;
			found(f->path, line_of(f->text, p), "word", "`%s'", bad[i]);
		}
	}
}

/* Columns of one line: a tab goes to the next multiple of 8, a UTF-8 character is one. */
static int columns(const char *p, size_t n)
{
	int col = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\t')
			col = (col / 8 + 1) * 8;
		else if (((unsigned char)p[i] & 0xC0) != 0x80)
			col++;
	}
	return col;
}

static void line_check(const struct file *f)
{
	int line = 1, first = 0, nwide = 0;

	for (const char *p = f->text + 1; *p != '\0'; line++) {
		size_t n = strcspn(p, "\n");
		int wide = (f->is_c || f->is_h) ? columns(p, n) : 0;

		if (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r') &&
			!ends(f->path, ".md"))
			found(f->path, line, "space", "blanks at the end of the line");
		if (wide > COLUMN_MAX && nwide++ == 0)
			first = line;
		p += n;
		if (*p == '\n')
			p++;
	}
	if (nwide > 0)
		found(f->path, first, "width", "%d lines are wider than %d columns", nwide,
			COLUMN_MAX);
	if ((f->is_c || f->is_h) && line - 1 > FILE_MAX)
		found(f->path, FILE_MAX, "file", "%d lines; %d are allowed", line - 1, FILE_MAX);
}

static void name_check(const struct file *f)
{
	const char *base = strrchr(f->path, '/');
	size_t n, max = begins(f->path, "tests/") ? NAME_MAX_ANY : NAME_MAX_LIB;

	base = base == NULL ? f->path : base + 1;
	n = strcspn(base, ".");
	if (!f->is_c && !f->is_h && !ends(base, ".sh") && !ends(base, ".def"))
		return;
	if (ends(f->path, "_os.c"))
		n -= 3;
	if (n > max)
		found(f->path, 1, "name", "%zu letters; %zu are allowed", n, max);
	for (size_t i = 0; i < n; i++) {
		if (islower((unsigned char)base[i]) || isdigit((unsigned char)base[i]))
			continue;
		if (base[i] != '_' && base[i] != '-')
			found(f->path, 1, "name", "`%c' in a file's name", base[i]);
	}
}

/* --- includes and the preprocessor ---------------------------------------------------------- */

static void arrow_check(const struct file *f, int line, const char *what)
{
	const struct law *l = law_of("see", f->path);

	if (l == NULL) {
		found(f->path, line, "layer", "layers.txt has no line for this folder");
		return;
	}
	if (strchr(what, '/') != NULL && file_of(what) == NULL)
		found(f->path, line, "include", "there is no \"%s\" (from the top)", what);
	for (int i = 0; i < l->n; i++)
		if (inside(what, l->words[i]))
			return;
	found(f->path, line, "layer", "%s may not include \"%s\"", l->folder, what);
}

/* A file that has a header of its own name begins with it, or with another of its folder (which
 * shows that those compile alone). */
static void own_header_check(const struct file *f, int line, const char *what)
{
	char own[LINE_LEN];

	snprintf(own, sizeof(own), "%s", f->path);
	own[strlen(own) - 1] = 'h';
	if (!f->is_c || file_of(own) == NULL)
		return;
	*strrchr(own, '/') = '\0';
	if (!inside(what, own))
		found(f->path, line, "own", "the first include must be a header of %s", own);
}

static int if_allowed(const struct file *f, const char *directive, int first)
{
	if (law_of("if", f->path) != NULL || ends(f->path, "_os.c"))
		return 1;
	return f->is_h && (first || strstr(directive, "__cplusplus") != NULL);
}

static void directive_check(const struct file *f)
{
	int nif = 0, ninclude = 0, line = 0;
	const char *next;

	for (const char *p = f->text; p != NULL && *p != '\0'; p = next) {
		char d[LINE_LEN], what[LINE_LEN];

		next = strchr(p + 1, '\n');
		line++;
		if (p[1] != '#' || f->code[p - f->text + 1] != '#')
			continue;
		snprintf(d, sizeof(d), "%.*s", (int)strcspn(p + 1, "\n"), p + 1);
		if (sscanf(d, "# include \"%[^\"]\"", what) == 1) {
			arrow_check(f, line, what);
			if (ninclude++ == 0)
				own_header_check(f, line, what);
		} else if (begins(d, "#include") && ninclude++ == 0) {
			own_header_check(f, line, "<>");
		}
		if (begins(d, "#if") && !if_allowed(f, d, nif++ == 0))
			found(f->path, line, "if", "`%s' outside *_os.c", d);
	}
	if (f->is_h && nif == 0)
		found(f->path, 1, "guard", "no include guard");
}

/* --- code ----------------------------------------------------------------------------------- */

static void forbidden_check(const struct file *f)
{
	static const char *const bad[] = {"strcpy", "strcat", "sprintf", "vsprintf", "gets",
		"alloca", "strtok", "tmpnam", "mktemp", "strncpy", "typedef struct",
		"typedef union"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t n = strlen(bad[i]);
		int call = strchr(bad[i], ' ') == NULL;

		for (const char *p = f->code; (p = strstr(p, bad[i])) != NULL; p += n) {
			if (is_word(p[-1]) || is_word(p[n]) || (call && p[n] != '('))
				continue;
			found(f->path, line_of(f->code, p), "forbidden", "%s", bad[i]);
		}
	}
}

/* Engines work with objects: the user's handles are bind's. */
static void handle_check(const struct file *f)
{
	static const char *const types[] = {"MPI_Comm", "MPI_Datatype", "MPI_Request", "MPI_Op",
		"MPI_Group", "MPI_Win", "MPI_File", "MPI_Info", "MPI_Errhandler", "MPI_Message",
		"MPI_Session"};

	if (!begins(f->path, "libmpi/") || law_of("handles", f->path) != NULL)
		return;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t n = strlen(types[i]);

		for (const char *p = f->code; (p = strstr(p, types[i])) != NULL; p += n)
			if (!is_word(p[-1]) && !is_word(p[n]))
				found(f->path, line_of(f->code, p), "handle",
					"%s is seen by bind only", types[i]);
	}
}

/* --- functions: length and nesting ---------------------------------------------------------- */

/* Which statements are open at a place inside a function: '{' a block of a control statement,
 * ';' a control statement without braces, 'o' any other brace. */
struct nest {
	char open[STACK_MAX];
	int n;
};

static int nest_depth(const struct nest *s)
{
	int depth = 0;

	for (int i = 0; i < s->n; i++)
		depth += s->open[i] != 'o';
	return depth;
}

static void nest_push(struct nest *s, char c)
{
	if (s->n < STACK_MAX)
		s->open[s->n++] = c;
}

/* A statement has ended: so have the control statements without braces around it. */
static void nest_end(struct nest *s)
{
	while (s->n > 0 && s->open[s->n - 1] == ';')
		s->n--;
}

static const char *blanks_skip(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* From '(' to what follows its ')'. */
static const char *parens_skip(const char *p)
{
	int depth = 0;

	for (; *p != '\0'; p++) {
		depth += (*p == '(') - (*p == ')');
		if (depth == 0)
			return p + 1;
	}
	return p;
}

/* At the start of a word: if it is a control keyword, opens its level and returns where its
 * statement begins; otherwise returns NULL. */
static const char *keyword_take(struct nest *s, const char *p)
{
	static const char *const words[] = {"if", "for", "while", "switch", "else", "do"};
	size_t i, n = 0;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		n = strlen(words[i]);
		if (strncmp(p, words[i], n) == 0 && !is_word(p[n]))
			break;
	}
	if (i == sizeof(words) / sizeof(words[0]))
		return NULL;
	p = blanks_skip(p + n);
	if (*p == '(' && i < 4)
		p = blanks_skip(parens_skip(p));
	if (i == 4 && begins(p, "if") && !is_word(p[2]))
		return p; /* else if: one level, opened by the if */
	nest_push(s, *p == '{' ? '{' : ';');
	return *p == '{' ? p + 1 : p;
}

static void nest_check(const struct file *f, const char *p, const char *end)
{
	struct nest s = {.n = 0};

	while (p < end) {
		const char *next = p + 1;
		int is_new = !is_word(p[-1]) && is_word(*p);

		if (*p == '#') { /* a macro inside a function is not code of it */
			while (next < end && !(next[0] == '\n' && next[-1] != '\\'))
				next++;
		} else if (*p == '{') {
			nest_push(&s, 'o');
		} else if (*p == '}' && s.n > 0) {
			s.n--;
			nest_end(&s);
		} else if (*p == ';') {
			nest_end(&s);
		} else if (is_new && (next = keyword_take(&s, p)) == NULL) {
			next = p + 1;
		} else if (is_new && nest_depth(&s) > NEST_MAX) {
			found(f->path, line_of(f->code, p), "nest", "%d levels; %d are allowed",
				nest_depth(&s), NEST_MAX);
			return;
		}
		p = next;
	}
}

static void functions_check(const struct file *f)
{
	const char *p = f->code, *end;

	while ((p = strstr(p, "\n{")) != NULL) {
		int line, n;

		end = strstr(p, "\n}");
		if (end == NULL)
			return;
		line = line_of(f->code, p + 1);
		n = line_of(f->code, end + 1) - line - 1;
		if (n > FUNCTION_MAX)
			found(f->path, line, "function", "%d lines; %d are allowed", n,
				FUNCTION_MAX);
		nest_check(f, p + 2, end);
		p = end;
	}
}

/* --- lists of sources ----------------------------------------------------------------------- */

static int is_list(const char *path)
{
	return ends(path, "files.mk") || strcmp(path, "Makefile") == 0;
}

/* A word of a list that is a pattern of paths, like libobj/NAME.c; the length of the word. */
static size_t pattern_get(const char *at, char *pattern, size_t len)
{
	size_t n = strcspn(at, " \t\n,)");
	int size = n < len ? (int)n : 0;

	snprintf(pattern, len, "%.*s", size, at);
	if (strchr(pattern, '*') == NULL || strchr(pattern, '$') != NULL ||
		strchr(pattern, '/') == NULL || strchr(pattern, ':') != NULL)
		pattern[0] = '\0';
	return n;
}

/* Does a pattern of the list match one of the tree's files (path NULL) or this one? */
static int pattern_fits(const char *pattern, const char *path)
{
	if (path != NULL)
		return fnmatch(pattern, path, FNM_PATHNAME) == 0;
	for (int i = 0; i < nfiles; i++)
		if (fnmatch(pattern, files[i].path, FNM_PATHNAME) == 0)
			return 1;
	return 0;
}

static int is_matched(const struct file *list, const char *path)
{
	char pattern[LINE_LEN];

	for (const char *p = list->text; *p != '\0';) {
		size_t n = pattern_get(p, pattern, sizeof(pattern));

		if (pattern[0] != '\0' && pattern_fits(pattern, path))
			return 1;
		p += n + (p[n] != '\0');
	}
	return 0;
}

static int is_named(const struct file *list, const char *what)
{
	size_t n = strlen(what);

	for (const char *p = list->text; (p = strstr(p, what)) != NULL; p += n)
		if (!is_word(p[-1]) && !is_word(p[n]))
			return 1;
	return 0;
}

/* Does a list name the source, or match it?  A test that is a script may name what it compiles. */
static int is_listed(const char *path)
{
	const char *what = begins(path, "tests/") ? strrchr(path, '/') + 1 : path;

	for (int i = 0; i < nfiles; i++) {
		const struct file *f = &files[i];

		if (is_list(f->path) && is_matched(f, path))
			return 1;
		if ((is_list(f->path) || (what != path && ends(f->path, ".sh"))) &&
			is_named(f, what))
			return 1;
	}
	return 0;
}

/* A list that begins twice has lost its first half: most likely in a merge. */
static void begin_check(const struct file *f)
{
	for (const char *p = f->text; (p = strstr(p, " :=")) != NULL; p += 3) {
		const char *begin = p, *twin;
		char key[LINE_LEN];

		while (is_word(begin[-1]))
			begin--;
		if (begin[-1] != '\n' || !isalpha((unsigned char)*begin))
			continue;
		snprintf(key, sizeof(key), "\n%.*s :=", (int)(p - begin), begin);
		twin = strstr(begin, key);
		if (twin != NULL && (strstr(key, "_TESTS") != NULL || strstr(key, "_SRCS") != NULL))
			found(f->path, line_of(f->text, twin + 1), "list",
				"%s begins a second time", key + 1);
	}
}

static const char *const tops[] = {
	"libobj/", "libshm/", "libnet/", "libmpi/", "tools/", "tests/", ".ci/"};

/* Does the word name something in this tree, by a path from the top? */
static int is_path(const char *w)
{
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++)
		if (begins(w, tops[i]))
			return w[strcspn(w, "$%=:;()`'\"{}<>,|")] == '\0';
	return 0;
}

/* A page that says `folder/file' means one that exists. */
static void page_check(const struct file *f)
{
	char w[LINE_LEN];

	for (const char *p = f->text; (p = strchr(p, '`')) != NULL; p++) {
		size_t n = strcspn(p + 1, "` \n"), k;
		int good = 0;

		snprintf(w, sizeof(w), "%.*s", (int)n, p + 1);
		for (k = strlen(w); k > 0 && w[k - 1] == '/'; k--)
			w[k - 1] = '\0';
		if (p[n + 1] != '`' || !is_path(w) || strchr(w, '*') != NULL ||
			strstr(w, "NN") != NULL)
			continue;
		for (int i = 0; i < nfiles && !good; i++)
			good = inside(files[i].path, w);
		if (!good)
			found(f->path, line_of(f->text, p), "page", "there is no %s", w);
	}
}

/* A word of a list that names a file, or a pattern of files. */
static void list_word_check(const struct file *f, int line, const char *at)
{
	char w[LINE_LEN];

	pattern_get(at, w, sizeof(w));
	if (w[0] != '\0') {
		if (is_path(w) && !pattern_fits(w, NULL))
			found(f->path, line, "list", "no file matches %s", w);
		return;
	}
	snprintf(w, sizeof(w), "%.*s", (int)strcspn(at, " \t\n,)"), at);
	if (is_path(w) && (ends(w, ".c") || ends(w, ".sh")) && file_of(w) == NULL)
		found(f->path, line, "list", "there is no %s", w);
}

/* The words of a files.mk that name a file must name one that exists. */
static void list_check(const struct file *f)
{
	int line = 0;

	for (const char *p = f->text; *p != '\0'; p += strcspn(p, " \t\n,)")) {
		for (; isspace((unsigned char)*p) || *p == ',' || *p == ')'; p++)
			line += *p == '\n';
		if (*p == '#')
			p += strcspn(p, "\n");
		else if (*p != '\0')
			list_word_check(f, line, p);
	}
}

/* Tests of MPI begin with their order and say the clause that they prove. */
static void test_check(const struct file *f)
{
	char head[LINE_LEN / 4];

	if (!begins(f->path, "tests/std/") || !f->is_c)
		return;
	snprintf(head, sizeof(head), "%s", f->text);
	if (strstr(head, "/* RUN ") == NULL)
		found(f->path, 2, "test", "no line /* RUN np=... */ at the beginning");
	if (strstr(head, "MPI-5.0 ") == NULL)
		found(f->path, 3, "test", "no line /* MPI-5.0 CLAUSE: ... */ at the beginning");
}

/* --- what other programs know --------------------------------------------------------------- */

/* A global name in an object of the libraries: defined there, or used. */
struct name {
	char *name, *source; /* the source of that object */
	const struct law *law;
	int defined;
};

static struct name *names;
static int nnames;

static void names_read(void)
{
	char line[LINE_LEN], object[LINE_LEN], kind, name[LINE_LEN];
	const char *source = object + strlen(build) + 5;
	FILE *p;

	snprintf(line, sizeof(line),
		"find %s/obj/lib* -name '*.o' 2>/dev/null | LC_ALL=C sort | xargs -r nm -A -g "
		"2>/dev/null",
		build);
	p = popen(line, "r");
	while (p != NULL && fgets(line, sizeof(line), p) != NULL) {
		line[strcspn(line, ":")] = ' ';
		if (sscanf(line, "%s %*[0-9a-f] %c %s", object, &kind, name) != 3 &&
			sscanf(line, "%s %c %s", object, &kind, name) != 3)
			continue;
		object[strlen(object) - 1] = 'c';
		if (file_of(source) == NULL) /* an old object */
			continue;
		names = must_alloc(names, (size_t)(nnames + 1) * sizeof(*names));
		names[nnames++] = (struct name){.name = must_copy(name),
			.source = must_copy(source),
			.law = law_of("names", source),
			.defined = strchr("TDBRC", kind) != NULL};
	}
	if (p != NULL)
		pclose(p);
}

static int has_prefix(const struct name *n)
{
	for (int i = 0; i < n->law->n; i++)
		if (begins(n->name, n->law->words[i]))
			return 1;
	return 0;
}

/* What other folders use bears the folder's prefix; inner names are free, but no name is defined
 * twice in what is linked together. */
static void names_check(void)
{
	names_read();
	for (int i = 0; i < nnames; i++) {
		const struct name *a = &names[i], *user = NULL, *twin = NULL;

		for (int k = 0; a->defined && k < nnames; k++) {
			const struct name *b = &names[k];

			if (k == i || strcmp(a->name, b->name) != 0)
				continue;
			if (b->defined && k < i)
				twin = b;
			if (!b->defined && a->law != b->law)
				user = b;
		}
		if (twin != NULL)
			found(a->source, 1, "twice", "%s is also in %s", a->name, twin->source);
		if (user != NULL && a->law != NULL && !has_prefix(a))
			found(a->source, 1, "prefix", "%s, used by %s, begins with no prefix of %s",
				a->name, user->source, a->law->folder);
	}
}

/* Runs a command and turns its lines `file:line:col: error: text' into findings of the rule; at
 * most one a file. */
static void tool_run(const char *command, const char *rule, const char *message)
{
	char line[LINE_LEN], path[LINE_LEN], last[LINE_LEN] = "", text[LINE_LEN];
	FILE *p = popen(command, "r");
	int n;

	while (p != NULL && fgets(line, sizeof(line), p) != NULL) {
		if (sscanf(line, "%[^: ]:%d:%*d: %*[a-z ]: %[^\n]", path, &n, text) != 3)
			continue;
		if (strcmp(path, last) != 0)
			found(begins(path, "./") ? path + 2 : path, n, rule, "%s",
				message != NULL ? message : text);
		snprintf(last, sizeof(last), "%s", path);
	}
	if (p != NULL)
		pclose(p);
}

static void format_check(void)
{
	char *command = must_copy("clang-format --dry-run -Werror");
	size_t len = strlen(command);

	if (system("command -v clang-format >/dev/null 2>&1") != 0) {
		found(".clang-format", 1, "format", "clang-format is not installed");
		return;
	}
	for (int i = 0; i < nfiles; i++) {
		size_t n = strlen(files[i].path) + 1;

		if (!files[i].is_c && !files[i].is_h)
			continue;
		command = must_alloc(command, len + n + 6);
		command[len] = ' ';
		memcpy(command + len + 1, files[i].path, n);
		len += n;
	}
	command = must_alloc(command, len + 6);
	memcpy(command + len, " 2>&1", 6);
	tool_run(command, "format", "run clang-format -i");
	free(command);
}

static void alone_check(const struct file *f)
{
	char command[LINE_LEN];

	snprintf(command, sizeof(command),
		"%s -std=gnu11 -D_GNU_SOURCE -I. -I%s/gen -I%s/include -fsyntax-only -x c %s 2>&1",
		cc, build, build, f->path);
	tool_run(command, "alone", NULL);
}

/* --- all ------------------------------------------------------------------------------------ */

static void file_check(const struct file *f)
{
	if (memchr(f->text, '\0', f->len) != NULL)
		return; /* not a text */
	spdx_check(f);
	word_check(f);
	line_check(f);
	name_check(f);
	if (is_list(f->path)) {
		list_check(f);
		begin_check(f);
	}
	if (ends(f->path, ".md"))
		page_check(f);
	if (!f->is_c && !f->is_h)
		return;
	directive_check(f);
	forbidden_check(f);
	handle_check(f);
	functions_check(f);
	test_check(f);
	if (f->is_c && !is_listed(f->path))
		found(f->path, 1, "list", "in no files.mk");
	if (f->is_h)
		alone_check(f);
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "b:c:")) != -1) {
		switch (c) {
		case 'b': build = optarg; break;
		case 'c': cc = optarg; break;
		default: return 2;
		}
	}
	laws_read();
	tree_read();
	for (int i = 0; i < nfiles; i++)
		file_check(&files[i]);
	names_check();
	format_check();
	printf("lint: %d files, %d findings\n", nfiles, findings);
	return findings != 0;
}
