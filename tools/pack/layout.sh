#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layout.sh - what make install must adapt to the directories it was given.
#
#   layout.sh wrapper FILE TO     a compiler wrapper: the ways from BINDIR to the other directories
#   layout.sh pc FILE DIR/        a file of pkg-config
#   layout.sh link NAME TO        TO, in DEVDIR, becomes a link to NAME in LIBDIR
#   layout.sh runpath             the linker's option by which a program in BINDIR finds LIBDIR
#   layout.sh beside              the same for a library in LIBDIR
#
# The directories are in the environment, as the Makefile names them.  All ways are relative, so
# that an installed tree may be moved; a tree in /usr is not moved, and compilers know its
# directories.  pc also asks for DESTDIR.
set -eu

# way FROM TO: the relative path.
way() {
	realpath -sm --relative-to="$1" "$2"
}

# For the right side of sed's s|||.
escape() {
	printf '%s' "$1" | sed 's/[&|\\]/\\&/g'
}

# As a word of a shell, for the right side of sed's s|||.
shell_word() {
	escape "'$(printf '%s' "$1" | sed "s/'/'\\\\''/g")'"
}

# Do loaders look into this directory by themselves?
system_lib() {
	case $1 in
	/lib | /usr/lib) true ;;
	/lib64 | /usr/lib64) [ -e "$1/libc.so.6" ] ;; # where Fedora and SUSE have them
	/lib/*/* | /usr/lib/*/*) false ;;
	/lib/*-*-* | /usr/lib/*-*-*) true ;;
	*) false ;;
	esac
}

wrapper() {
	sed -e "s|^include=.*|include=$(shell_word "$(way "$BINDIR" "$INCLUDEDIR")")|" \
		-e "s|^lib=.*|lib=$(shell_word "$(way "$BINDIR" "$LIBDIR")")|" \
		-e "s|^dev=.*|dev=$(shell_word "$(way "$BINDIR" "$DEVDIR")")|" "$1" >"$2"
	chmod 755 "$2"
}

# pc_dir NAME DIR: the line of one directory.
pc_dir() {
	case $PREFIX in
	/usr) printf '%s' "s|^$1=.*|$1=$(escape "$2")|" ;;
	*) printf '%s' "s|^$1=.*|$1=\${pcfiledir}/$(escape "$(way "$DEVDIR/pkgconfig" "$2")")|" ;;
	esac
}

# pc_run: the run path, for the right side of sed.  A tree in DESTDIR may be used there, by way of
# PKG_CONFIG_SYSROOT_DIR, and comes to LIBDIR later: it has both.
pc_run() {
	! system_lib "$LIBDIR" || return 0
	later=
	[ "$PREFIX" = /usr ] || [ -z "$DESTDIR" ] || later=,-rpath,$(printf '%s' "$LIBDIR" | sed 's/[] "\#'"'"']/\\&/g')
	printf '%s' ' \1'"$(escape "$later")"'\2'
}

pc() {
	sed -e "$(pc_dir prefix "$PREFIX")" -e "$(pc_dir includedir "$INCLUDEDIR")" \
		-e "$(pc_dir libdir "$LIBDIR")" -e "$(pc_dir devdir "$DEVDIR")" \
		-e "$(pc_dir bindir "$BINDIR")" \
		-e "s| \(-Wl,-rpath,[^ ,]*\)\([^ ]*\)|$(pc_run)|" "$1" >"$2/${1##*/}"
	chmod 644 "$2/${1##*/}"
}

# run_path WHERE: a word that the linker ignores where there is nothing to say.
run_path() {
	if system_lib "$LIBDIR"; then echo -Wl,--as-needed; else echo "-Wl,-rpath,$1"; fi
}

case $1 in
wrapper) wrapper "$2" "$3" ;;
pc) pc "$2" "$3" ;;
link) ln -sf "$(way "$DEVDIR" "$LIBDIR/$2")" "$3" ;;
runpath) run_path "\$ORIGIN/$(way "$BINDIR" "$LIBDIR")" ;;
beside) run_path '$ORIGIN' ;;
esac
