#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deps.sh GROUP... - installs missing packages of these groups of packages.txt.
#
# With nothing missing it only asks dpkg, without network.  As root, or where sudo needs no
# password, it calls apt-get; otherwise it prints the one line to run and exits with 1.  On a system
# without dpkg it names the packages and goes on: the build will tell the rest.
set -eu
list=$(dirname "$0")/packages.txt
want=
for group in "$@"; do
	want="$want $(awk -v g="$group" '$1 == g { print $2 }' "$list")"
done
want=$(printf '%s\n' $want | sort -u)

if ! command -v dpkg-query >/dev/null; then
	echo "deps: no dpkg here; make sure that the likes of these are installed:" $want
	exit 0
fi
missing=
for package in $want; do
	status=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
	printf '%s\n' "$status" | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
	as=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	as='sudo -n'
else
	echo "deps: some packages are missing.  Run this, then make again:"
	echo "    sudo apt-get update && sudo $install"
	exit 1
fi
echo "deps: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The lists of a fresh system are empty or old: update first, and only if something is missing.
# A network has its bad minutes, and another installation may be running.
patient='-o Acquire::Retries=5 -o DPkg::Lock::Timeout=300'
if ! { $as apt-get $patient update && $as env DEBIAN_FRONTEND=noninteractive $install $patient; } >"$log" 2>&1; then
	tail -20 "$log"
	echo "deps: apt-get failed; the line was: $as $install"
	exit 1
fi
