# SPDX-License-Identifier: BSD-3-Clause
# libobj alone, as the author of another runtime meets it: installed, found by pkg-config, used by
# tasks.c with nothing but a compiler, once as shared and once as static library.
set -u
case $B in *-address* | *-thread* | *-undefined*) exit 77 ;; esac # a plain cc cannot link these
command -v pkg-config >/dev/null || exit 77
prefix=$TMPDIR/prefix
out=$TMPDIR/out

bad() {
	echo "$1"
	[ -f "$out" ] && cat "$out"
	rm -rf "$TMPDIR"/*
	exit 1
}

make -s install-libobj B="$B" PREFIX="$prefix" DESTDIR= >"$out" 2>&1 || bad "install-libobj fails"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
pkg-config --exists libobj || bad "pkg-config does not know libobj"
[ "$(pkg-config --modversion libobj)" = 0.1.0 ] || bad "the version is not obj.h's"
for f in include/libobj/obj.h lib/libobj.so lib/libobj.a share/man/man3/obj.3 share/libobj/gdb.py \
	share/doc/libobj/examples/tasks/tasks.c; do
	[ -e "$prefix/$f" ] || bad "$f is not installed"
done
[ -e "$prefix/include/libobj/obj_inner.h" ] && bad "obj_inner.h is installed"

# The page has all functions of the header but the slow halves of its inline ones.
grep -o '\bobj_[a-z_]*(' "$prefix/include/libobj/obj.h" | tr -d '(' | sort -u |
	grep -v -e _fn$ -e _direct$ -e _always$ -e ^obj_gone$ -e ^obj_slot$ >"$TMPDIR/header"
sed -n 's/^\.Fn \([a-z_]*\).*/\1/p' libobj/obj.3 | sort -u >"$TMPDIR/page"
diff "$TMPDIR/header" "$TMPDIR/page" >"$out" || bad "obj.h and obj.3 have not the same functions"
[ -L "$prefix/share/man/man3/obj_free.3" ] || bad "obj_free has no page"

# run WHAT: the program, and its right output.
run() {
	"$TMPDIR/tasks" >"$out" 2>"$out.err" || bad "$1: tasks fails"
	grep -q '^fib(15) = 610: 1973 tasks, 15 deep$' "$out" || bad "$1: fib is wrong"
	grep -q '^1000 detached tasks ran$' "$out" || bad "$1: detached tasks did not run"
	[ "$(grep -c '^event_wait: ' "$out")" = 1 ] || bad "$1: a queue was taken for an event"
	[ "$(grep -c '^task_spawn: ' "$out")" = 2 ] || bad "$1: an old queue was not refused"
	grep -q '^event: 1 ' "$out" || bad "$1: the leak is not reported"
	grep -q '^2 left$' "$out" || bad "$1: what is left is not counted"
}

cp "$prefix/share/doc/libobj/examples/tasks/tasks.c" "$TMPDIR" || bad "no example"
cd "$TMPDIR" || exit 1
cc tasks.c $(pkg-config --cflags --libs libobj) -o tasks >"$out" 2>&1 || bad "tasks.c does not build"
run shared
cc tasks.c -Wall -Wextra -Werror $(pkg-config --cflags libobj) "$prefix/lib/libobj.a" \
	$(pkg-config --static --libs-only-l libobj | sed 's/-lobj//') -o tasks >"$out" 2>&1 ||
	bad "tasks.c does not build with libobj.a"
run static

# The header is one of C++ too, and stands alone.
if command -v c++ >/dev/null; then
	echo '#include <libobj/obj.h>' >x.cc
	c++ -Wall -Wextra -Werror $(pkg-config --cflags libobj) -c x.cc -o x.o >"$out" 2>&1 ||
		bad "obj.h is no C++"
fi

# Nothing but obj_* is exported.
nm -D --defined-only "$prefix/lib/libobj.so" | awk '$3 !~ /^obj_/ && $2 != "A" { print }' >"$out"
[ -s "$out" ] && bad "other names are exported"
rm -rf "$TMPDIR"/*
