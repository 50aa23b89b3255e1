# SPDX-License-Identifier: BSD-3-Clause
# lint finds each offence that it was written for, and nothing in a tree that has none.
set -u
command -v git >/dev/null && command -v clang-format >/dev/null || exit 77
top=$PWD
lint=$top/$B/dev/lint
[ -x "$lint" ] || exit 77
cd "$TMPDIR" || exit 1
git init -q . || exit 1
mkdir -p libobj libshm libmpi/p2p tools/dev
cp "$top/tools/dev/layers.txt" "$top/tools/dev/words.txt" tools/dev
echo /build/ >.git/info/exclude
cp "$top/.clang-format" .
spdx='// SPDX-License-Identifier: BSD-3-Clause'

bad() {
	echo "$1"
	cat .git/out
	cd / && rm -rf "${TMPDIR:?}"/* "$TMPDIR"/.[a-z]*
	exit 1
}
# put FILE LINES...
put() {
	file=$1
	shift
	printf '%s\n' "$@" >"$file"
}
# offence RULE FILE: the tree's mistake is reported as that, and as nothing else there.
offence() {
	"$lint" >.git/out 2>&1 && bad "$1: nothing found"
	grep -q "^$2:[0-9]*: $1: " .git/out || bad "$1 is not found in $2"
	[ "$(grep -c "^$2:" .git/out)" = 1 ] || bad "$1: more than that is found in $2"
	rm -f "$2"
	git add -A
}

put libobj/files.mk '# SPDX-License-Identifier: BSD-3-Clause' 'libobj_SRCS := libobj/good.c libobj/x.c' \
	'libmpi_SRCS := libmpi/p2p/w.c libshm/z.c'
five() {
	put "$1" "<!-- ${spdx#// } -->" '# x' '' '```' 'a ──► b' '```' 'Reading order: x.' '' \
		'## Decisions' '' '- **A.** a' '- **B.** b' '- **C.** c' '- **D.** d' "$2"
}
for room in libobj libshm libmpi/p2p tools/dev; do five $room/README.md '- **E.** e'; done
put libobj/good.h "$spdx" '#ifndef GOOD_H' '#define GOOD_H' 'int obj_good(void);' '#endif'
put libobj/good.c "$spdx" '#include "libobj/good.h"' '' 'int obj_good(void)' '{' '	return 0;' '}'
put libobj/x.c "$spdx"
put libshm/z.c "$spdx"
put libmpi/p2p/w.c "$spdx"
"$lint" >.git/out 2>&1 || bad "a good tree has findings"

put libobj/x.c 'int obj_x;'
offence spdx libobj/x.c
sed -i 1d libshm/README.md
offence spdx libshm/README.md
"$lint" >.git/out 2>&1
grep -q '^libshm/.*: readme: there is no libshm/README.md' .git/out || bad "no README"
five libshm/README.md 'e'
offence readme libshm/README.md
for part in '/──►/d; /^```/d' '/^Reading order/d'; do
	five libshm/README.md '- **E.** e'
	sed -i "$part" libshm/README.md
	offence readme libshm/README.md
done
five libshm/README.md '- **E.** It takes 3 us.'
offence readme libshm/README.md
five libshm/README.md '- **E.** e'
put libshm/PERF.md "<!-- ${spdx#// } -->" '# libshm' '22 November 2026, 2 CPUs'
offence perf libshm/PERF.md
for when in '2026' '2026-11' 'November 2026' 'before November 2026'; do
	put libshm/PERF.md "<!-- ${spdx#// } -->" '# libshm' "$when, 2 CPUs, \`make bench-shm\`"
	offence perf libshm/PERF.md
done
for when in 2026-11-22 '22 November 2026'; do
	put libshm/PERF.md "<!-- ${spdx#// } -->" '# libshm' "$when, 2 CPUs, \`make bench-shm\`"
	"$lint" >.git/out 2>&1
	grep -q ': perf: ' .git/out && bad "$when is no day"
done
rm libshm/PERF.md
git add -A
put .gitignore '/build/'
offence spdx .gitignore
put libobj/x.c "$spdx" "/* T""ODO */"
offence word libobj/x.c
put libobj/x.c "$spdx" '/* Frees'' what is left. */'
offence prose libobj/x.c
put libobj/x.c "$spdx" '/* True;'' what fits is kept. */'
offence prose libobj/x.c
put libobj/x.c "$spdx" '#ifdef A' '#endif'
offence if libobj/x.c
put libobj/x.c "$spdx" '#include "libshm/none.h"'
"$lint" >.git/out 2>&1 && bad "include"
grep -q ': include: ' .git/out && grep -q ': layer: ' .git/out || bad "include and layer"
put libshm/z.c "$spdx" '#include "libobj/good.h"'
offence layer libshm/z.c
put libobj/x.c "$spdx" '#include <string.h>' '' 'void obj_x(char *s)' '{' '	strcpy(s, "");' '}'
offence forbidden libobj/x.c
put libobj/x.c "$spdx" 'int obj_x[sizeof obj_x];'
offence sizeof libobj/x.c
put libmpi/p2p/w.c "$spdx" 'void p2p_x(MPI_Comm comm);'
offence handle libmpi/p2p/w.c
put libobj/x.c "$spdx" 'int obj_x; '
"$lint" >.git/out 2>&1
grep -q '^libobj/x.c:2: space: ' .git/out || bad "a blank at the end of a line"
put libobj/x.c "$spdx" "/* $(yes long | head -20 | tr '\n' ' ')*/"
offence width libobj/x.c
put libobj/x.sh "# ${spdx#// }" "# $(yes long | head -20 | tr '\n' ' ')." "echo '$(yes long | head -20 | tr '\n' ' ')'"
offence width libobj/x.sh
put libobj/x.def "/* ${spdx#// } */" "/* $(yes long | head -20 | tr '\n' ' ')*/"
offence width libobj/x.def
put libobj/x.c "$spdx" 'void obj_x(int *n)' '{' '	__atomic_store_n(n, 1, 0);' '}'
sed -i '/^builtins libobj/d' tools/dev/layers.txt
offence builtin libobj/x.c
put libobj/x.c "$spdx" 'int  x;'
offence format libobj/x.c
put libobj/x.c "$spdx" 'void obj_x(int n)' '{' '	if (n)' '		for (;;)' '			while (n)' \
	'				if (n > 1)' '					n--;' '}'
offence nest libobj/x.c
mkdir -p libmpi/api
put libmpi/api/x.def "/* ${spdx#// } */" 'FUNC(MPI_X, 1.1, INT, p2p_longest, BIG, "x")'
nine='(int a, int b, int c, int d, int e, int f, int g, int h, int i)'
put libobj/x.c "$spdx" "int fill_longest$nine" '{' '	return a + b + c + d + e + f + g + h + i;' '}'
"$lint" >.git/out 2>&1
grep -q ': parameters: ' .git/out && bad "an engine may have MPI's parameters"
sed -i s/fill_longest/fill_longer/ libobj/x.c
offence parameters libobj/x.c
rm -r libmpi/api
{ printf '%s\n' "$spdx" 'void obj_x(int n)' '{'; yes '	n++;' | head -51; echo '}'; } >libobj/x.c
offence function libobj/x.c
{ echo "$spdx"; yes '' | head -1000; } >libobj/x.c
"$lint" >.git/out 2>&1
grep -q 'libobj/x.c:1000: file: ' .git/out || bad "file"
put libobj/x.c "$spdx"
put libobj/other.c "$spdx"
offence list libobj/other.c
put libshm/files.mk "# ${spdx#// }" 'libshm_SRCS := $(wildcard libshm/none*.c)'
offence list libshm/files.mk
put libobj/other.c "$spdx"
put libshm/files.mk "# ${spdx#// }" 'more_SRCS := $(wildcard libobj/oth*.c)'
"$lint" >.git/out 2>&1
grep -q '^libobj/other.c:' .git/out && bad "a file that a pattern matches is said to be in no list"
rm libobj/other.c libshm/files.mk
git add -A
put libobj/muchtoolongforanyname.h "$spdx" '#ifndef A' '#define A' '#endif'
offence name libobj/muchtoolongforanyname.h
put libobj/bare.h "$spdx"
offence guard libobj/bare.h
put libobj/alone.h "$spdx" '#ifndef A' '#define A' 'struct a f(missing b);' '#endif'
offence alone libobj/alone.h
put README.md "<!-- ${spdx#// } -->" 'see `libobj/gone.c`'
offence page README.md
put libobj/good.c "$spdx" '#include <string.h>' '#include "libobj/good.h"'
offence own libobj/good.c

# Comments.
put libobj/good.c "$spdx" '#include "libobj/good.h"' '' 'int obj_good(void)' '{' '	return 0;' '}'
put libobj/x.c "$spdx" '/* --- a title ------------------------' ' */'
offence ruler libobj/x.c
for lost in '--- *' ---; do
	put libobj/x.c "$spdx" "/* --- a title ---------------------$lost" ' *' ' * A picture. */'
	offence ruler libobj/x.c
done
put libobj/x.c "$spdx" '/* A title' ' * ------------' ' * and more */'
offence ruler libobj/x.c
put libobj/x.c "$spdx" '/* As gone.c has it. */'
offence mention libobj/x.c
put libobj/x.c "$spdx" '/* Calls gone() first. */'
offence mention libobj/x.c
put libobj/x.c "$spdx" '/* Calls obj_gone first. */'
offence mention libobj/x.c
put libobj/x.c "$spdx" '/* As NAME.c and libobj/good.c have it: obj_good(), obj_good, abort(). */' 'int *obj_x = abort;'
"$lint" >.git/out 2>&1
grep -q ': mention: ' .git/out && bad "what exists is said not to exist"

put libobj/x.c "$spdx" '/* As no_function and get_contents do. */' 'const char *obj_x = "MPI_Type_get_contents";'
offence mention libobj/x.c
put libobj/x.sh "# ${spdx#// }" '# As no_function does.' 'true'
offence mention libobj/x.sh
put libobj/x.f90 "! ${spdx#// }" '! As no_function does.' 'end'
offence mention libobj/x.f90
for name in x.inc x.pml; do
	put libobj/$name "$spdx" '/* As gone.pml has it. */'
	offence mention libobj/$name
	put libobj/$name "$spdx" '/* Who waits. */'
	offence prose libobj/$name
	put libobj/$name "$spdx" 'int obj_sorry;'
	offence words libobj/$name
done

mkdir -p tests/a tests/b
put tests/a/x.h "$spdx" '#ifndef A_X_H' '#define A_X_H' '#define CHECK(x) (x)' '#endif'
put tests/b/y.h "$spdx" '#ifndef B_Y_H' '#define B_Y_H' '#define EXPECT(x) (x)' '#endif'
"$lint" >.git/out 2>&1
[ "$(grep -c '^tests/[ab]/[xy].h:[0-9]*: base: ' .git/out)" = 2 ] || bad "two assertions"
put tests/b/x.h "$spdx" '#ifndef B_X_H' '#define B_X_H' '#endif'
rm tests/b/y.h
"$lint" >.git/out 2>&1
[ "$(grep -c '^tests/[ab]/x.h:[0-9]*: base: ' .git/out)" = 2 ] || bad "two tests of one name"
rm -r tests/a tests/b

# Words and prose.
put libobj/x.c "$spdx" 'int obj_sorry;'
offence words libobj/x.c
put libobj/x.c "$spdx" '/* Sends a sorry. */'
offence words libobj/x.c
put libobj/x.c "$spdx" 'const char *obj_x = "the sender is sorry";'
offence words libobj/x.c
put libobj/x.c "$spdx" 'const char *obj_x = "a far process";'
offence words libobj/x.c
put libobj/x.c "$spdx" 'const char *obj_x = "far";' '/* A far process. */'
"$lint" >.git/out 2>&1
grep -q ': words: ' .git/out && bad "a keyword, or a plain word of a comment, is refused"
put libobj/files.mk '# SPDX-License-Identifier: BSD-3-Clause' 'libobj_SRCS := libobj/good.c libobj/x.c libobj/small_hall.c' \
	'libmpi_SRCS := libmpi/p2p/w.c libshm/z.c'
put libobj/small_hall.c "$spdx"
offence words libobj/small_hall.c
sed -i 's, libobj/small_hall.c,,' libobj/files.mk
put tests/x_meet.sh "# ${spdx#// }"
"$lint" >.git/out 2>&1
grep -q '^tests/x_meet.sh:1: words: ' .git/out || bad "a private word as the name of a test is not found"
rm tests/x_meet.sh
put libobj/x.c "$spdx" 'int HAFT_WAY_X;'
offence words libobj/x.c
mkdir -p tests/std
five tests/std/README.md '- **E.** e'
put tests/std/x.h "$spdx" '#ifndef X_H' '#define X_H' 'extern int by_way;' '#endif'
offence words tests/std/x.h
put tests/files.mk "# ${spdx#// }" 'tests_SRCS := $(wildcard tests/std/*.c)'
put tests/std/x.c "$spdx" '/* MPI-5.0 3.5: without its line RUN. */'
offence test tests/std/x.c
put tests/std/x.c "$spdx" '/* RUN np=2 */' '/* Without a clause. */'
offence test tests/std/x.c
rm tests/files.mk
mkdir -p libmpi/core
five libmpi/core/README.md '- **E.** e'
put libmpi/files.mk "# ${spdx#// }" 'more_SRCS := $(wildcard libmpi/c*/s*.c)'
put libmpi/p2p/w.c "$spdx" '/* Not by SETTING_X, a comment. */' 'int p2p_x = SETTING_X_MORE;'
put libmpi/core/setting.c "$spdx" 'int haft_rows[] = {[SETTING_X] = 1};'
offence setting libmpi/core/setting.c
put libmpi/core/setting.c "$spdx" 'int haft_rows[] = {[SETTING_X] = 1};'
put libmpi/p2p/w.c "$spdx" 'int p2p_x = SETTING_X;'
"$lint" >.git/out 2>&1
grep -q ': setting: ' .git/out && bad "a setting that is read is said not to be"
rm -r libmpi/core libmpi/files.mk
put libmpi/p2p/w.c "$spdx"
five libmpi/README.md '- **E.** e'
{ printf '%s\n' '' '## Glossary' '' '| word | is |' '|---|---|'; yes '| x, z | y |' | head -13; } >>libmpi/README.md
offence words libmpi/README.md
put libobj/x.c "$spdx" 'int obj_epoch;'
offence words libobj/x.c
put libobj/x.c "$spdx" 'int obj_is_busy;'
offence words libobj/x.c
put libshm/z.c "$spdx" 'int shm_row;'
offence words libshm/z.c
put libmpi/p2p/w.c "$spdx" 'int p2p_row;'
put libshm/z.c "$spdx"
put tests/std/x.h "$spdx" '#ifndef X_H' '#define X_H' 'extern int x_busy;' '#endif'
put libobj/x.c "$spdx" '/* A busy machine. */' 'int obj_in_place, HAFT_EARLY, OBJ_BUSY;'
"$lint" >.git/out 2>&1
grep -q ': words: ' .git/out && bad "a name that is fine is refused"
put libobj/x.c "$spdx" '/* The far side. */'
"$lint" >.git/out 2>&1
grep -q ': words: ' .git/out && bad "a word for names is refused in prose"
for turn in 'Who waits.' 'What is left.' 'It is his.' 'The same here.' 'Nobody waits.'; do
	put libobj/x.c "$spdx" "/* $turn */"
	offence prose libobj/x.c
done
for turn in 'Reports of what comes.' 'A wait for what libshm does not know.' 'Keys, and who waits.' \
	'Goes to who asks.' 'Sorted by what it costs.' 'A copy of*what others have.'; do
	put libobj/x.c "$spdx" "/* $(echo "$turn" | sed 's/\*/\n * /') */"
	offence prose libobj/x.c
done
put libobj/x.c "$spdx" '/* Reports which ranks wait, and of which messages.  The member who has asked. */'
"$lint" >.git/out 2>&1
grep -q ': prose: ' .git/out && bad "a clause with an antecedent is refused"
put libobj/x.c "$spdx"
mkdir -p libshm/model
five libshm/model/README.md '- **E.** e'
yes a line | head -120 >>libshm/model/README.md
offence readme libshm/model/README.md
mkdir -p libshm/model tests/unit tests/std/ch03 tests/examples/hello
put libshm/model/x.pml "/* ${spdx#// } */"
offence readme libshm/model/x.pml
five libshm/model/README.md '- **E.** e'
put tests/unit/x.txt "# ${spdx#// }"
offence readme tests/unit/x.txt
put tests/std/ch03/x.txt "# ${spdx#// }"
put tests/examples/hello/x.txt "# ${spdx#// }"
five tests/std/README.md '- **E.** e'
five tests/examples/README.md '- **E.** e'
"$lint" >.git/out 2>&1
grep -q '^\(tests\|libshm/model\)/.*: readme: ' .git/out && bad "chapters and examples have one README"
rm -r tests/std/ch03 tests/examples
five libshm/model/README.md "$(printf '%s' '- **E.** ' && yes long | head -21 | tr '\n' ' ')."
offence readme libshm/model/README.md

# Names that stand for several things.
mkdir -p libnet tests/unit
for d in libshm libnet tests/unit; do put $d/one_$(basename $d).c "$spdx" 'static int queue_take(void)' '{' '	return 0;' '}'; done
"$lint" >.git/out 2>&1
[ "$(grep -c ': static: ' .git/out)" = 3 ] || bad "a static function in three files, one of them a test"
put tests/unit/body.inc "$spdx" 'static int body(void)' '{' '	return queue_take();' '}'
"$lint" >.git/out 2>&1
grep -q '^tests/.*: static: ' .git/out && bad "a test's function that a body of tests calls is a hook"
rm lib*/one_* tests/unit/one_* tests/unit/body.inc
put libobj/x.c "$spdx" 'static int take(void)' '{' '	return 0;' '}'
offence static libobj/x.c
put libshm/good.h "$spdx" '#ifndef B' '#define B' '#endif'
"$lint" >.git/out 2>&1
grep -q '^libshm/good.h:1: base: ' .git/out || bad "one file name in two folders"
rm libshm/good.h
put libobj/x.c "$spdx" 'struct piece {' '	int a;' '};'
put libobj/y.c "$spdx" 'enum piece { A, B };'
"$lint" >.git/out 2>&1
[ "$(grep -c ': tag: ' .git/out)" = 2 ] || bad "a tag in two files of a library"
rm libobj/y.c

# Objects.
object() {
	mkdir -p "build/release/obj/$(dirname "$1")"
	${CC:-cc} -c "$1.c" -o "build/release/obj/$1.o" || exit 1
}
put libobj/x.c "$spdx" 'int take_x;'
object libobj/x
offence link libobj/x.c
put libobj/x.c "$spdx" 'int obj_y;'
put libobj/y.c "$spdx" 'int obj_y;'
object libobj/x
object libobj/y
"$lint" >.git/out 2>&1
grep -q ': twice: obj_y ' .git/out || bad "a name defined twice"
rm libobj/y.c build/release/obj/libobj/y.o
sed -i 's/^link libobj: .*/link libobj: obj_ hnd_ ref_/' tools/dev/layers.txt
"$lint" >.git/out 2>&1
grep -q '^tools/dev/layers.txt:1: link: ' .git/out || bad "a folder with three prefixes"
sed -i 's/^link libobj: .*/link libobj: obj_/' tools/dev/layers.txt
mkdir -p libmpi/type
put libmpi/p2p/w.c "$spdx" 'int p2p_x;'
put libmpi/type/y.c "$spdx" 'extern int p2p_x;' 'int *type_y = &p2p_x;'
object libmpi/p2p/w
object libmpi/type/y
"$lint" >.git/out 2>&1
grep -q '^libmpi/type/y.c:1: arrow: ' .git/out || bad "an arrow upwards"
put libmpi/p2p/w.c "$spdx" 'extern int *type_y;' 'int p2p_x;' 'int **p2p_z = &type_y;'
object libmpi/p2p/w
"$lint" >.git/out 2>&1
grep -q ': circle: 2 folders ' .git/out || bad "two folders in a circle"
rm -r libmpi/p2p/w.c libmpi/type build

# Generated sources are not in the tree; their objects count.
generated() {
	mkdir -p build/release/gen build/release/obj/gen
	put "build/release/gen/$1.c" "$2" "$3"
	${CC:-cc} -c "build/release/gen/$1.c" -o "build/release/obj/gen/$1.o" || exit 1
}
mkdir -p libmpi/type libmpi/tool
five libmpi/type/README.md '- **E.** e'
five libmpi/tool/README.md '- **E.** e'
put libmpi/files.mk "# ${spdx#// }" 'more_SRCS := $(wildcard libmpi/t*/y*.c)'
put libmpi/type/y.c "$spdx" 'extern int bind_x;' 'int *type_y = &bind_x;'
object libmpi/type/y
generated bind_x 'extern int *type_y;' 'int bind_x, **bind_y = &type_y;'
"$lint" >.git/out 2>&1
grep -q '^libmpi/type/y.c:1: arrow: uses bind_x of gen/bind_x.c' .git/out || bad "an arrow to gen"
grep -q ': circle: 2 folders .*: gen libmpi/type$\|: circle: 2 folders .*: libmpi/type gen$' .git/out ||
	bad "a circle through a generated object"
rm build/release/gen/bind_x.c
"$lint" >.git/out 2>&1
grep -q ': circle: \|: arrow: ' .git/out && bad "an old generated object counts"
generated names 'int bind_names;' ''
put libmpi/tool/y.c "$spdx" 'extern int bind_names;' 'int *tool_y = &bind_names;'
object libmpi/tool/y
generated bind_x 'extern int *tool_y;' 'int **bind_y = &tool_y;'
put libmpi/type/y.c "$spdx"
object libmpi/type/y
"$lint" >.git/out 2>&1
grep -q ': circle: \|: arrow: ' .git/out && bad "the table of names is said to stand above its users"
rm -r libmpi/type libmpi/tool libmpi/files.mk build
mkdir -p tools/ring tests/loop
for in in libshm tools/ring tests/loop; do
	f=${in#lib}
	f=${f#t*s/}_f
	n=0
	while [ $n -lt 6 ]; do
		next=$(((n + 1) % 6))
		put $in/ring$n.c "$spdx" "int $f$next(void);" "int $f$n(void)" '{' \
			"	return $f$next();" '}'
		object $in/ring$n
		n=$((n + 1))
	done
	"$lint" >.git/out 2>&1
	grep -q "^$in/ring0.c:1: circle: 6 files " .git/out || bad "six files of $in in a circle"
done
rm -r tools/ring tests/loop
rm libshm/ring5.c
"$lint" >.git/out 2>&1
grep -q ': circle: ' .git/out && bad "no circle is said to be one"
put libobj/x.c "$spdx" '/* Who waits. */' 'struct piece {' '	int a;' '};'
put libobj/y.c "$spdx" 'enum piece { A, B };'
put libshm/y.c "$spdx" 'enum piece { A, B };'
put libshm/x.c "$spdx" 'enum piece { A, B };'
"$lint" -r tag libobj >.git/out 2>&1
[ "$(grep -c ': tag: ' .git/out)" = 2 ] && [ "$(wc -l <.git/out)" = 3 ] || bad "one rule in one folder"
cd / && rm -rf "${TMPDIR:?}"/* "$TMPDIR"/.[a-z]*
