# SPDX-License-Identifier: BSD-3-Clause
# The files of a rank: its own, and those that mpiexec has inherited, whatever their numbers.  No
# rank has what mpiexec keeps of the ranks before it.
. tests/tools/lib.sh

cat >"$TMPDIR/files" <<'END'
#!/bin/sh
for f in /proc/$$/fd/*; do
	case $(readlink "$f") in
	/dev/null | /proc/*) ;;
	*) printf '%s ' "${f##*/}" ;;
	esac
done
[ ! -e /proc/$$/fd/150 ] || cat /proc/$$/fd/150
echo
END
chmod +x "$TMPDIR/files"
echo inherited >"$TMPDIR/text"

# highest FILE, count FILE: of the lines of numbers.
highest() { tr ' ' '\n' <"$1" | sort -n | tail -1; }
count() { awk '{print NF}' "$1" | sort -n | tail -1; }

"$TMPDIR/files" >"$TMPDIR/own" </dev/null # of a process without mpiexec
job -n 60 "$TMPDIR/files"
want_rc 0
top=$(highest "$TMPDIR/own")
[ "${top:-0}" -ge 127 ] || top=127
echo "highest $(highest "$out") of $top, most $(count "$out"), without mpiexec $(count "$TMPDIR/own")"
[ "$(highest "$out")" -le "$top" ] && [ "$(count "$out")" -le $(($(count "$TMPDIR/own") + 6)) ] ||
	fail "a rank has files of mpiexec"

bash -c 'exec 150<"$1"; shift; "$@"' bash "$TMPDIR/text" \
	"$run" -n 3 "$TMPDIR/files" >"$out" 2>"$err"
n=$(grep -c inherited "$out")
[ "$n" -ge 1 ] || { cat "$out" "$err"; fail "an inherited file did not reach the ranks"; }

# Valgrind ends programs that share descriptors with a child: mpiexec does not there.
if command -v valgrind >/dev/null && [ -z "$san" ]; then
	valgrind -q "$run" -n 2 true >"$out" 2>"$err" </dev/null ||
		{ cat "$err"; fail "mpiexec does not run under valgrind"; }
fi
finish
