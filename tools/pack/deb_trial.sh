#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb_trial.sh - what users of the packages do to them; runs inside a system that can be thrown
# away, beside the packages: install, the packages' own tests, upgrade, other MPIs beside, remove,
# purge.
set -eux
cd "$(dirname "$0")"
T=$(dpkg-architecture -qDEB_HOST_MULTIARCH)

# All files of the system but what apt and dpkg write about themselves.
files() {
	find / -xdev \( -path /proc -o -path /dev -o -path /debs -o -path /tmp -o -path /var/cache -o -path /var/lib/apt \
		-o -path /var/lib/dpkg -o -path /var/log -o -path /etc/alternatives -o -name '__pycache__' \) -prune -o -print | sort
}

# older DEB: the same package with a lower version, in old/.
older() {
	rm -rf old/tree
	mkdir -p old
	dpkg-deb -R "$1" old/tree
	now=$(sed -n 's/^Version: //p' old/tree/DEBIAN/control)
	sed -i "s/$now/$now~old/g" old/tree/DEBIAN/control
	dpkg-deb --root-owner-group -b old/tree old/ >/dev/null
}

points() {
	[ "$(readlink -f "$1")" = "$2" ] || { echo "$1 is $(readlink -f "$1"), not $2"; exit 1; }
}

apt-get -q install -y gcc g++ gfortran cmake pkg-config libffi8 libhwloc15 libjemalloc2
files >before
for deb in ./*.deb; do
	case $deb in *dbgsym*) ;; *) older "$deb" ;; esac
done
apt-get -q install -y ./old/*.deb
echo '# a word of the administrator' >>/etc/haft.conf
apt-get -q install -y -o Dpkg::Options::=--force-confold $(ls ./*.deb | grep -v dbgsym)
tail -n 1 /etc/haft.conf | grep administrator
echo "trial: installed, upgraded, with the administrator's /etc/haft.conf"

# Alone, Haft is the MPI of the system.
points /usr/bin/mpicc /usr/bin/mpicc.haft
points /usr/bin/mpiexec /usr/bin/mpiexec.haft
points "/usr/include/$T/mpi" "/usr/include/$T/haft"
points "/usr/lib/$T/libmpi.so" "/usr/lib/$T/libmpi_abi.so.1"
[ -e /usr/share/man/man1/mpicc.1.gz ]
for t in tests/*; do
	case $t in */control) continue ;; esac
	AUTOPKGTEST_TMP=$(mktemp -d)
	export AUTOPKGTEST_TMP
	sh "$t" >test.log 2>&1 || { cat test.log; echo "$t failed"; exit 1; }
	cat test.log
	echo "trial: ${t##*/} passed"
done

# Beside others it changes nothing; chosen, all of it is chosen.
apt-get -q install -y libopenmpi-dev openmpi-bin libmpich-dev mpich
points /usr/bin/mpicc "$(readlink -f /usr/bin/mpicc.openmpi)"
points "/usr/lib/$T/libmpi.so" "$(readlink -f "/usr/lib/$T/openmpi/lib/libmpi.so")"
update-alternatives --set mpi /usr/bin/mpicc.haft
update-alternatives --set mpirun /usr/bin/mpirun.haft
update-alternatives --set "mpi-$T" "/usr/include/$T/haft"
for t in hello pkgconf; do sh tests/$t; done
echo "trial: beside Open MPI and MPICH: not the default, and chosen it works"
apt-get -q purge -y 'libopenmpi*' 'openmpi*' 'libmpich*' mpich

# A package removed keeps /etc/haft.conf; purged, nothing is left.
apt-get -q remove -y haft-bin libhaft-dev libhaft1 haft-doc libobj0 libobj-dev
[ -e /etc/haft.conf ]
! update-alternatives --query mpi
! update-alternatives --query mpirun
! update-alternatives --query "mpi-$T"
dpkg --purge haft-bin # the others are gone: they have no configuration
apt-get -q autoremove -y
files >after
left=$(comm -13 before after | grep -Ei 'haft|libobj|mpi' || true)
[ -z "$left" ] || { echo "left after purge: $left"; exit 1; }
echo "trial: removed, purged: nothing is left"
