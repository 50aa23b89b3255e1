// SPDX-License-Identifier: BSD-3-Clause
/* lint.h - shared by the rules of lint: the files of the tree, layers.txt, findings.
 *
 *     lint.c ──► lint_text.c     any text: licence, words, width, names of files, READMEs
 *        │  ├─► lint_code.c     includes, the preprocessor, functions: length, nesting, parameters
 *        │  ├─► lint_comment.c  rulers of sections, names that comments mention
 *        │  ├─► lint_words.c    private words that have a plain one, prose (words.txt)
 *        │  ├─► lint_homonym.c  one name, one thing: static functions, tags, files
 *        │  ├─► lint_list.c     files.mk, how tests begin, settings
 *        │  ├─► lint_link.c     objects: prefixes, arrows, circles
 *        │  └─► lint_run.c      clang-format, and the compiler for each header alone
 *        └────► lint_tree.c     reads files and layers.txt, prints findings, counts them
 *
 * A rule is a function of one file, or of the whole tree; it calls found() for each offence. */
#ifndef TOOLS_DEV_LINT_H
#define TOOLS_DEV_LINT_H

#include <stddef.h>
#include <stdio.h>

#define LIST_MAX 64 /* words of a line of layers.txt */
#define LINE_LEN 4096

/* One file of the tree.  All three texts have the length len and the same line breaks, and begin
 * with a newline that is not in the file, so that looking one character back is always allowed. */
struct file {
	char *path;
	char *text;    /* as it is */
	char *code;    /* comments and the insides of literals blanked */
	char *comment; /* all but comments blanked */
	size_t len;
	int is_c, is_h; /* by suffix */
	int is_like_c;  /* has comments and literals as C has: also tables, bodies and models */
	int is_product; /* in libobj, libshm, libnet, libmpi or tools */
};

/* One line of layers.txt: KIND FOLDER: WORDS... */
struct law {
	char *kind, *folder;
	char *words[LIST_MAX];
	int n;
};

extern const char *lint_build, *lint_cc;
extern struct file *lint_files;
extern int lint_nfiles;

/* Reads the tree (git's files: tracked, or new and not ignored) and the two tables. */
void tree_read(void);
void laws_read(void);

/* One offence against a rule. */
__attribute__((format(printf, 4, 5))) void found(
	const char *path, int line, const char *rule, const char *fmt, ...);
/* Does found() count this rule? */
int is_on(const char *rule);
/* Prints the sum; returns how many were found. */
int findings_end(void);
/* From now on only this rule counts, and these folders; NULL or none: all. */
void findings_select(const char *rule, char **folders);

/* The law of that kind whose folder fits the path best, or NULL. */
const struct law *law_of(const char *kind, const char *path);
/* The law of that kind after `last' (NULL: the first), or NULL. */
const struct law *law_next(const char *kind, const struct law *last);
int law_has(const struct law *law, const char *word);

/* The file of this path, or NULL. */
struct file *file_of(const char *path);
/* The line in which `at' stands; base is the file's text, code or comment. */
int line_of(const char *base, const char *at);

/* Ends lint with words: it cannot go on. */
__attribute__((noreturn)) void die(const char *what);
/* realloc and strdup that end lint when there is no memory. */
void *must_alloc(void *p, size_t n);
char *must_copy(const char *s);
/* Does s begin, or end, with the text? */
int begins(const char *s, const char *with);
int ends(const char *s, const char *with);
/* Is `path' the file or folder `prefix', or inside it? */
int inside(const char *path, const char *prefix);
int is_word(char c);
/* Is the file a page for readers, all prose? */
int is_page(const char *path);
/* Columns of one line: a tab goes to the next multiple of 8, a UTF-8 character is one. */
int columns(const char *p, size_t n);
/* A path's last part. */
const char *base_of(const char *path);
/* A path without its last part, into buf. */
char *folder_of(const char *path, char *buf, size_t len);
/* The next word (letters, digits, _) in s at or after p: its begin, its length in *n; or NULL. */
const char *word_next(const char *p, size_t *n);

/* Does the word name something in this tree, by a path from the top? */
int is_path(const char *w);

/* The rules.  Those of a file are called for each file that is a text. */
void text_check(const struct file *f);
void comment_check(const struct file *f);
void words_check(const struct file *f);
void code_check(const struct file *f);
void list_file_check(const struct file *f);
void alone_check(const struct file *f);
void readmes_check(void);
/* Before the first words_check: reads words.txt. */
void words_read(void);
/* Before the first comment_check: learns all names that there are. */
void mentions_read(void);
void homonyms_check(void);
void link_check(void);
void format_check(void);

#endif
