#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb.sh [DIR [STEP...]] - Debian packages of this tree, built and tried in a minimal Debian 12; by
# make deb.
#
#     DIR/base    the system, by debootstrap; kept, and used again
#     DIR/debs    the packages
#     DIR/*.log   the build, lintian's words, the trial
#
# STEP is build, lintian, trial or piuparts; without one it is all of them.  Each needs what the
# build
# left.  DIR is build/deb if it is not named.  Wants root, debootstrap, unshare and piuparts.  The
# packages hold what git has in its index or its work tree; tools/pack/debian becomes debian.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tools/pack/system.sh"
dir=${1:-$top/build/deb}
[ $# = 0 ] || shift
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' "$top/tools/pack/debian/changelog")
name=haft-$version

# The sources of the packages, in the layer where they will be built.
unpack() {
	at=$dir/build/up/build
	mkdir -p "$at/$name"
	(cd "$top" && git ls-files -z | xargs -0 tar cf -) | tar xf - -C "$at/$name"
	(cd "$at" && tar cJf "haft_$version.orig.tar.xz" "$name")
	cp -r "$top/tools/pack/debian" "$at/$name/debian"
}

# step NAME LAYER LINE: runs it in the layer; its words go to NAME.log.
step() {
	start=$(date +%s)
	if system_run "$dir/$2" "$dir/base" "$3" >"$dir/$1.log" 2>&1; then
		echo "deb: $1: ok, $(($(date +%s) - start)) s"
	else
		tail -n "${LINES:-30}" "$dir/$1.log"
		echo "deb: $1 FAILED, see $dir/$1.log"
		exit 1
	fi
}

deb_build() {
	rm -rf "$dir/build" "$dir/debs"
	unpack
	step build build "cd /build/$name && apt-get -q build-dep -y . && dpkg-buildpackage -us -uc"
	mkdir "$dir/debs"
	cp "$dir"/build/up/build/*.deb "$dir"/build/up/build/*.dsc "$dir"/build/up/build/*.tar.* "$dir/debs"
}

# Warnings are failures, but for this one: the archive has no request for these packages to close.
deb_lintian() {
	step lintian build "cd /build && lintian --fail-on error,warning \
		--suppress-tags initial-upload-closes-no-bugs *.changes"
}

deb_trial() {
	rm -rf "$dir/trial"
	mkdir -p "$dir/trial/up/debs"
	cp "$dir"/debs/*.deb "$top/tools/pack/deb_trial.sh" "$dir/trial/up/debs/"
	cp -r "$top/tools/pack/debian/tests" "$dir/trial/up/debs/tests"
	step trial trial "sh /debs/deb_trial.sh"
	sed -n 's/^trial: /deb: /p' "$dir/trial.log"
}

# Debian's own judge of install, upgrade and purge, on a copy of the system.  It wants the packages
# as a repository, and no working directory inside of it.
deb_piuparts() {
	start=$(date +%s)
	(cd "$dir/debs" && rm -f ./*dbgsym* && dpkg-scanpackages -m . >Packages 2>/dev/null)
	(cd / && piuparts --existing-chroot="$dir/base" --distribution="$system_suite" --do-not-verify-signatures \
		--warn-on-others --mirror="$(system_sources | head -n 1) main" --bindmount="$dir/debs" \
		--extra-repo="deb [trusted=yes] file:$dir/debs ./" "$dir"/debs/*.deb) >"$dir/piuparts.log" 2>&1 || {
		grep -E 'ERROR|FAIL' "$dir/piuparts.log"
		echo "deb: piuparts FAILED, see $dir/piuparts.log"
		exit 1
	}
	echo "deb: piuparts: ok, $(($(date +%s) - start)) s"
}

system_make "$dir/base" build-essential debhelper fakeroot lintian
[ $# -gt 0 ] || set -- build lintian trial piuparts
for s; do
	case $s in
	build | lintian | trial | piuparts) "deb_$s" ;;
	*) echo "deb: no step $s: build, lintian, trial, piuparts"; exit 2 ;;
	esac
done
