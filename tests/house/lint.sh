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
cp "$top/tools/dev/layers.txt" tools/dev
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
# offence RULE FILE: what the tree has now is reported as that, and as nothing else there.
offence() {
	"$lint" >.git/out 2>&1 && bad "$1: nothing found"
	grep -q "^$2:[0-9]*: $1: " .git/out || bad "$1 is not found in $2"
	[ "$(grep -c "^$2:" .git/out)" = 1 ] || bad "$1: more than that is found in $2"
	rm -f "$2"
	git add -A
}

put libobj/files.mk '# SPDX-License-Identifier: BSD-3-Clause' 'libobj_SRCS := libobj/good.c libobj/x.c' \
	'libmpi_SRCS := libmpi/p2p/x.c libshm/x.c'
put libobj/good.h "$spdx" '#ifndef GOOD_H' '#define GOOD_H' 'int obj_good(void);' '#endif'
put libobj/good.c "$spdx" '#include "libobj/good.h"' '' 'int obj_good(void)' '{' '	return 0;' '}'
put libobj/x.c "$spdx"
put libshm/x.c "$spdx"
put libmpi/p2p/x.c "$spdx"
"$lint" >.git/out 2>&1 || bad "a good tree has findings"

put libobj/x.c 'int obj_x;'
offence spdx libobj/x.c
put libshm/README.md '# libshm'
offence spdx libshm/README.md
put .gitignore '/build/'
offence spdx .gitignore
put libobj/x.c "$spdx" "/* T""ODO */"
offence word libobj/x.c
put libobj/x.c "$spdx" '#ifdef A' '#endif'
offence if libobj/x.c
put libobj/x.c "$spdx" '#include "libshm/none.h"'
"$lint" >.git/out 2>&1 && bad "include"
grep -q ': include: ' .git/out && grep -q ': layer: ' .git/out || bad "include and layer"
put libshm/x.c "$spdx" '#include "libobj/good.h"'
offence layer libshm/x.c
put libobj/x.c "$spdx" '#include <string.h>' '' 'void obj_x(char *s)' '{' '	strcpy(s, "");' '}'
offence forbidden libobj/x.c
put libmpi/p2p/x.c "$spdx" 'void p2p_x(MPI_Comm comm);'
offence handle libmpi/p2p/x.c
put libobj/x.c "$spdx" 'int  x;'
offence format libobj/x.c
put libobj/x.c "$spdx" 'void obj_x(int n)' '{' '	if (n)' '		for (;;)' '			while (n)' \
	'				if (n > 1)' '					n--;' '}'
offence nest libobj/x.c
{ printf '%s\n' "$spdx" 'void obj_x(int n)' '{'; yes '	n++;' | head -71; echo '}'; } >libobj/x.c
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
put libobj/muchtoolong.h "$spdx" '#ifndef A' '#define A' '#endif'
offence name libobj/muchtoolong.h
put libobj/bare.h "$spdx"
offence guard libobj/bare.h
put libobj/alone.h "$spdx" '#ifndef A' '#define A' 'struct a f(missing b);' '#endif'
offence alone libobj/alone.h
put README.md "<!-- ${spdx#// } -->" 'see `libobj/gone.c`'
offence page README.md
put libobj/good.c "$spdx" '#include <string.h>' '#include "libobj/good.h"'
offence own libobj/good.c
cd / && rm -rf "${TMPDIR:?}"/* "$TMPDIR"/.[a-z]*
