# SPDX-License-Identifier: BSD-3-Clause
# RUN time=180
# Many hosts, in name only: a proxy for each, which are its children or a tree; 256 ranks that talk
# by sockets and shared memory.
. tests/launch/lib.sh

all=$(seq -s, -f 'h%g:4' 64)
for fanout in 64 4; do
	job -launcher fork -fanout $fanout -hosts "$all" "$ranks" hello
	want_rc 0
	want_ranks 256
	want_lines 256
done
job -launcher fork -hosts "$all" "$ranks" kill
want_rc 137
want_err 'rank 255 (process '
want_err ' on h64, '
want_err 'was killed by signal 9'
all_gone
finish
