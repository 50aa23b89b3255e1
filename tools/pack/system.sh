# SPDX-License-Identifier: BSD-3-Clause
# system.sh - a minimal Debian 12 in a directory, and commands inside it.  To be sourced; wants
# root, debootstrap and unshare.
#
#     system_make BASE PACKAGE...        debootstrap into BASE, unless it is there
#     system_run LAYER LOWER LINE        runs the line of sh inside, as root with a bare environment
#
# LOWER is one system, or a stack of directories, the topmost first, with colons between.  The line
# writes into LAYER/up: the directories of LOWER are never changed.  Inside, everything is in name
# spaces of its own: nothing is mounted, and no process is left, when the line ends.  Packages come
# from where this machine gets its own (/etc/apt).
system_suite=bookworm

# The addresses of the suite, in either format of apt.
system_sources() {
	for list in /etc/apt/sources.list.d/*.sources; do
		[ -e "$list" ] || continue
		awk -v s="$system_suite" '/^URIs:/ { u = $2 } /^Suites:/ && index($0, s) { print u; exit }' "$list"
	done
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		awk -v s="$system_suite" '$1 == "deb" && index($0, " " s " ") { for (i = 2; i < NF; i++)
			if ($i ~ /:\/\//) print $i }'
}

system_make() {
	base=$1
	shift
	[ ! -d "$base" ] || return 0
	mirror=$(system_sources | head -n 1)
	[ -n "$mirror" ] || { echo "system: no source of $system_suite in /etc/apt"; return 1; }
	echo "system: debootstrap into $base"
	rm -rf "$base.new"
	debootstrap --variant=minbase "$system_suite" "$base.new" "$mirror" >"$base.log" 2>&1 || {
		tail "$base.log"
		return 1
	}
	for what in deb deb-src; do
		printf '%s %s %s main\n' $what "$mirror" "$system_suite"
	done >"$base.new/etc/apt/sources.list"
	cat >"$base.new/etc/apt/apt.conf.d/90system" <<-END
		APT::Install-Recommends "false";
		Acquire::Languages "none";
		Acquire::Check-Valid-Until "false";
		Acquire::Check-Date "false";
	END
	cp /etc/resolv.conf "$base.new/etc/resolv.conf"
	if [ $# -gt 0 ]; then
		system_run "$base.first" "$base.new" "apt-get -q update && apt-get -q install -y $*" >>"$base.log" 2>&1 || {
			tail "$base.log"
			return 1
		}
		cp -a "$base.first/up/." "$base.new/"
		rm -rf "$base.first"
	fi
	mv "$base.new" "$base"
}

system_run() {
	mkdir -p "$1/up" "$1/work" "$1/root"
	unshare --mount --pid --fork --ipc --kill-child sh -euc '
		mount --make-rprivate /
		mount -t overlay overlay -o "lowerdir=$2,upperdir=$1/up,workdir=$1/work" "$1/root"
		mount -t proc proc "$1/root/proc"
		mount --rbind /dev "$1/root/dev"
		mount -t tmpfs tmpfs "$1/root/dev/shm"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
			chroot "$1/root" /bin/sh -c "$3"' system "$1" "$2" "$3" </dev/null
}
