#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rebuild.sh [-with haft|openmpi] DIR PACKAGE... - builds source packages of Debian that need an MPI
# against ours, and runs their tests.
#
#     DIR/base, DIR/debs     of deb.sh, which goes first
#     DIR/mpi                the layer in which mpi-default-dev means libhaft-dev
#     DIR/rebuild/PACKAGE    the layer of one build, and its logs
#     DIR/rebuild.txt        a line for each: package, version, builds, tests, what links to us,
#     seconds
#
# Each package is built alone, in a copy of the same system.  First with its tests; if that fails,
# once more without, to tell which of both it was.  -with openmpi: against Debian's default, to
# learn whether a failure is ours.  LIMIT: seconds for one build (1800); its tests count.  JOBS:
# processes of a build (2).
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tools/pack/system.sh"
with=haft
if [ "$1" = -with ]; then
	with=$2
	shift 2
fi
dir=$(cd "${1:?usage: rebuild.sh [-with openmpi] DIR PACKAGE...}" && pwd)
shift
limit=${LIMIT:-1800}

# Debian's own package, with ours in place of Open MPI: packages ask it which MPI is the default
# one, and get Debian's answer, because they know no other.
layer_make() {
	rm -rf "$dir/mpi.new"
	mkdir -p "$dir/mpi.new/up/debs"
	cp "$dir"/debs/*.deb "$dir/mpi.new/up/debs/"
	system_run "$dir/mpi.new" "$dir/base" '
		apt-get -q update
		cd /debs && rm -f *dbgsym*
		apt-get -q install -y ./libhaft1_*.deb ./libhaft-dev_*.deb ./haft-bin_*.deb libhwloc15 libjemalloc2
		for p in dev:libhaft-dev bin:haft-bin; do
			apt-get download mpi-default-${p%:*}
			dpkg-deb -R mpi-default-${p%:*}_*.deb tree
			sed -i -e "s/^Depends: .*/Depends: ${p#*:}/" -e "s/^Version: .*/&+haft/" tree/DEBIAN/control
			rm mpi-default-${p%:*}_*.deb
			dpkg-deb --root-owner-group -b tree mpi-default-${p%:*}.deb
			rm -rf tree
		done
		apt-get -q install -y ./mpi-default-*.deb
		apt-mark hold mpi-default-dev mpi-default-bin
		update-alternatives --set mpi /usr/bin/mpicc.haft
		update-alternatives --set mpirun /usr/bin/mpirun.haft
		t=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
		update-alternatives --set mpi-$t /usr/include/$t/haft
		useradd -M -d /w builder' >"$dir/mpi.log" 2>&1 || { tail "$dir/mpi.log"; exit 1; }
	rm -rf "$dir/mpi"
	mv "$dir/mpi.new" "$dir/mpi"
}

case $with in
haft)
	[ -d "$dir/mpi" ] || layer_make
	lower=$dir/mpi/up:$dir/base
	;;
*) lower=$dir/base ;;
esac

# build LAYER OPTIONS: one dpkg-buildpackage; the packages' files are under /w.
build() {
	system_run "$1" "$lower" "set -e
		mkdir -p /w && cd /w
		[ -d src ] || {
			id builder 2>/dev/null || { apt-get -q update; useradd -M -d /w builder; }
			apt-get -q source $package
			apt-get -q build-dep -y $package
			mv \$(find . -mindepth 1 -maxdepth 1 -type d) src
			chown -R builder /w
		}
		cd src
		export DEB_BUILD_OPTIONS='parallel=${JOBS:-2} $2' OMPI_MCA_rmaps_base_oversubscribe=1
		timeout -k 10 $limit setpriv --reuid builder --regid builder --clear-groups \
			env HOME=/w dpkg-buildpackage -d -b -us -uc"
}

# How often the built files name each MPI's library.
links() {
	[ ! -d "$1/up/w/src" ] || (cd "$1/up/w/src" && find . -type f \( -perm -100 -o -name '*.so*' \) -exec readelf -d {} + 2>/dev/null) |
		sed -n 's/.*NEEDED.*\[\(libmpi[^]]*\|libmpich[^]]*\)\].*/\1/p' | sort | uniq -c |
		awk '{ printf "%s%s:%s", sep, $2, $1; sep = "," }'
}

mkdir -p "$dir/rebuild"
for package; do
	layer=$dir/rebuild/$package-$with
	rm -rf "$layer"
	mkdir -p "$layer"
	start=$(date +%s)
	builds=no tests=no
	if build "$layer" '' >"$layer/log" 2>&1; then
		builds=yes tests=yes
	elif [ ! -d "$layer/up/w/src" ]; then
		builds=none # its sources or the packages that it needs are not to be had
	elif build "$layer" nocheck >"$layer/log.nocheck" 2>&1; then
		builds=yes
	fi
	version=$(sed -n 's/^dpkg-buildpackage: info: source version //p' "$layer/log" | head -n 1)
	printf '%-14s %-8s %-22s builds %-4s tests %-4s %s %d s\n' "$package" "$with" "${version:--}" $builds $tests \
		"$(links "$layer")" $(($(date +%s) - start)) | tee -a "$dir/rebuild.txt"
done
