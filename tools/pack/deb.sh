#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb.sh [DIR] - Debian packages of this tree, built and tried in a minimal Debian 12; by make deb.
#
#     DIR/base    the system, by debootstrap; kept, and used again
#     DIR/debs    the packages
#     DIR/*.log   the build, lintian's words, the trial
#
# DIR is build/deb if it is not named.  Wants root, debootstrap and unshare.  The packages hold what
# git has in its index or its work tree; tools/pack/debian becomes debian.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tools/pack/system.sh"
dir=${1:-$top/build/deb}
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

# step NAME LINE: runs it in the layer NAME; its words go to a file.
step() {
	start=$(date +%s)
	if system_run "$dir/$1" "$dir/base" "$2" >"$dir/$1.log" 2>&1; then
		echo "deb: $1: ok, $(($(date +%s) - start)) s"
	else
		tail -n "${LINES:-30}" "$dir/$1.log"
		echo "deb: $1 FAILED, see $dir/$1.log"
		exit 1
	fi
}

system_make "$dir/base" build-essential debhelper fakeroot lintian
rm -rf "$dir/build" "$dir/trial" "$dir/debs"
unpack
step build "cd /build/$name && apt-get -q build-dep -y . && dpkg-buildpackage -us -uc"
mkdir "$dir/debs"
cp "$dir"/build/up/build/*.deb "$dir"/build/up/build/*.dsc "$dir"/build/up/build/*.tar.* "$dir/debs"

# Warnings are failures, but for this one: the archive has no request for these packages to close.
lintian='lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs'
system_run "$dir/build" "$dir/base" "cd /build && $lintian *.changes" \
	>"$dir/lintian.log" 2>&1 || { cat "$dir/lintian.log"; echo "deb: lintian FAILED"; exit 1; }
echo "deb: lintian: no error, no warning"

mkdir -p "$dir/trial/up/debs"
cp "$dir"/debs/*.deb "$top/tools/pack/deb_trial.sh" "$dir/trial/up/debs/"
cp -r "$top/tools/pack/debian/tests" "$dir/trial/up/debs/tests"
step trial "sh /debs/deb_trial.sh"
sed -n 's/^trial: /deb: /p' "$dir/trial.log"
