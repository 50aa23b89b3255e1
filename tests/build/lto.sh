# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# Link-time optimization, as distributions set it, and as a user does: libobj relinked into one
# object shows its own names alone.  Programs with and without -flto link to it and to libobj.a.
# The linker compiles libobj.a then, and may not warn.
set -u
case $B in *-address* | *-thread* | *-undefined* | *-mean*) exit 77 ;; esac # a plain cc cannot link these
unset MAKEFLAGS MAKELEVEL MFLAGS
# clang's own language is all that its libobj.a has: a linker may not know it.
cc=cc libs="obj/libobj.whole.o lib/libobj.so lib/libobj.a"
case $B in *-clang*) cc=clang libs="obj/libobj.whole.o lib/libobj.so" ;; esac

bad() {
	echo "$*"
	rm -rf "${TMPDIR:?}"/*
	exit 1
}

for flags in "-g -O2 -flto=auto -ffat-lto-objects" "-O1 -flto"; do
	b=$TMPDIR/b
	rm -rf "$b"
	make -s B="$b" CC="$cc" CFLAGS="$flags" LDFLAGS="$flags" "$b/obj/libobj.whole.o" "$b/lib/libobj.a" \
		"$b/lib/libobj.so" >"$TMPDIR/log" 2>&1 || bad "$flags: $(head -5 "$TMPDIR/log")"
	others=$(nm -g --defined-only "$b/obj/libobj.whole.o" | awk '$3 !~ /^obj_/ { print $3 }')
	[ -z "$others" ] || bad "$flags: libobj.whole.o shows $others"
	others=$(nm -u "$b/obj/libobj.whole.o" | grep '\.c\.')
	[ -z "$others" ] || bad "$flags: libobj.whole.o lacks $others"
	for with in "" "-O2 -g -flto"; do
		for lib in $libs; do
			$cc $with -Wall -Wextra -Werror -I. tests/examples/tasks/tasks.c "$b/$lib" -ldl -lpthread \
				-Wl,-rpath,"$b/lib" -o "$TMPDIR/x" >"$TMPDIR/log" 2>&1 || bad "$flags, $lib with '$with': $(head -5 "$TMPDIR/log")"
			"$TMPDIR/x" >"$TMPDIR/log" 2>&1 || bad "$flags, $lib with '$with': the program fails"
		done
	done
	# A program that is one with libobj.a: the site of an object is still the caller's address.
	make -s B="$b" CC="$cc" CFLAGS="$flags" LDFLAGS="$flags" "$b/tests/unit/obj_dump" >"$TMPDIR/log" 2>&1 &&
		"$b/tests/unit/obj_dump" >"$TMPDIR/log" 2>&1 || bad "$flags: obj_dump: $(grep -A5 ERROR "$TMPDIR/log")"
done
case $cc in
cc)
	make -n B="$b" CFLAGS=-flto LDFLAGS=-flto "$b/tests/unit/node_join" | grep -e '--wrap.*-fno-lto' >"$TMPDIR/log" ||
		bad "a test replaces calls by --wrap that -flto has bound already"
	;;
esac
rm -rf "${TMPDIR:?}"/*
