# SPDX-License-Identifier: BSD-3-Clause
# vhosts.sh - several hosts of one machine, for tests that are run by root.  To be sourced.
#
#   bridge (10.79.1.254) ---+--- h1 (10.79.1.1)     each with its own network, pids, name,
#                           '--- h2 (10.79.1.2)     /dev/shm and sshd
#
# Namespaces have no names but those of processes, which die with this shell, however it dies: tests
# beside each other do not meet, and nothing is left.

# Exits with 77 where such hosts cannot be had.
vh_need() {
	[ "$(id -u)" = 0 ] || { echo "needs root: several hosts of one machine" && exit 77; }
	for c in ip unshare nsenter setpriv ssh ssh-keygen /usr/sbin/sshd; do
		command -v $c >/dev/null || { echo "needs $c (make deps)" && exit 77; }
	done
	unshare -n true 2>/dev/null || { echo "namespaces are not permitted" && exit 77; }
}

vh_net=10.79.1 # a network of this machine only

# vh_up DIR N: hosts h1..hN; DIR holds keys and pids.  $vh_ssh is a command like ssh, to be run by
# vh_root.  Home is DIR there: the start files of the user's shell are no part of a test.
vh_up() {
	vh=$1 vh_n=$2
	mkdir -p "$vh"
	trap vh_down EXIT
	trap 'exit 1' INT TERM HUP
	ssh-keygen -q -t ed25519 -N '' -f "$vh/id" && cp "$vh/id.pub" "$vh/authorized_keys"
	ssh-keygen -q -t ed25519 -N '' -f "$vh/hostkey"
	printf '%s\n' "HostKey $vh/hostkey" "AuthorizedKeysFile $vh/authorized_keys" 'StrictModes no' \
		'UsePAM no' 'PermitRootLogin yes' 'PasswordAuthentication no' 'PidFile none' \
		'MaxStartups 256' 'UseDNS no' "SetEnv HOME=$vh" >"$vh/sshd_config"
	printf '%s\n' 'Host h*' "IdentityFile $vh/id" 'StrictHostKeyChecking no' \
		'UserKnownHostsFile /dev/null' 'LogLevel ERROR' \
		'KexAlgorithms curve25519-sha256' >"$vh/ssh_config"
	vh_ssh=$vh/ssh
	printf '#!/bin/sh\nexec ssh -F %s/ssh_config "$@"\n' "$vh" >"$vh_ssh" && chmod +x "$vh_ssh"
	echo 127.0.0.1 localhost >"$vh/hosts"
	for i in $(seq "$vh_n"); do echo "$vh_net.$i h$i" >>"$vh/hosts"; done
	vh_space -n sh -c "touch $vh/sw.up; exec sleep 100000"
	vh_sw=$vh_pid
	vh_wait sw
	vh_ip link set lo up
	vh_ip link add br0 type bridge && vh_ip link set br0 up
	vh_ip addr add "$vh_net.254/24" dev br0
	for i in $(seq "$vh_n"); do vh_host "$i"; done
	for i in $(seq "$vh_n"); do vh_listens "$i"; done
}
# Waits until a host's sshd takes connections: a socket (port 22) that listens (0A).
vh_listens() {
	until nsenter -t "$(cat "$vh/h$1.pid")" -n cat /proc/net/tcp | grep -q ':0016 [0-9A-F:]* 0A '; do
		sleep 0.01
	done
}

# vh_space OPTIONS CMD...: a process in namespaces of its own, in the background.
vh_space() {
	setpriv --pdeathsig KILL unshare "$@" >>"$vh/log" 2>&1 </dev/null &
	vh_pid=$!
	vh_pids="${vh_pids:-} $vh_pid"
}
vh_wait() {
	until [ -e "$vh/$1.up" ]; do sleep 0.01; done
}
# vh_ip ARGS...: ip(8) where the bridge is.
vh_ip() {
	nsenter -t "$vh_sw" -n ip "$@"
}

# One host.
vh_host() {
	vh_space -n -m -u -i -p --fork --kill-child --propagation private sh -c "
		hostname h$1
		mount -t proc proc /proc
		mount -t tmpfs tmpfs /dev/shm
		mount -t tmpfs tmpfs /run && mkdir -p /run/sshd
		mount --bind $vh/hosts /etc/hosts
		touch $vh/h$1.up
		exec /usr/sbin/sshd -D -e -f $vh/sshd_config"
	echo "$vh_pid" >"$vh/h$1.pid"
	vh_wait "h$1"
	vh_ip link add "p$1" type veth peer name eth0 netns "$vh_pid"
	vh_ip link set "p$1" master br0 up
	nsenter -t "$vh_pid" -n sh -c "ip addr add $vh_net.$1/24 dev eth0
		ip link set eth0 up; ip link set lo up"
}

# vh_root CMD...: beside the hosts, on none of them.
vh_root() {
	nsenter -t "$vh_sw" -n unshare -m --propagation private sh -c \
		"mount --bind $vh/hosts /etc/hosts && exec \"\$@\"" sh "$@"
}

vh_kill() { # a host crashes
	kill -9 "$(cat "$vh/h$1.pid")"
}
vh_cut() { # its cable is pulled
	vh_ip link set "p$1" down
}

# Everything goes.
vh_down() {
	kill -9 $vh_pids 2>/dev/null
	wait $vh_pids 2>/dev/null
	rm -rf "${vh:?}"
}
