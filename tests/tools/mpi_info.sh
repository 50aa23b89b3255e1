# SPDX-License-Identifier: BSD-3-Clause
# mpi-info --json: one object of JSON with all that the text says, whatever is in the environment.
. tests/tools/lib.sh
info=$B/bin/mpi-info
command -v python3 >/dev/null || exit 77

cat >"$TMPDIR/same.py" <<'END'
import json, sys

text = open(sys.argv[1], encoding="utf-8", errors="replace").read().splitlines()
facts = json.load(open(sys.argv[2], encoding="utf-8"))
settings = facts.pop("settings", [])
lines = ["%-18s %s" % fact for fact in facts.items()]
for s in settings:
    origin = " [%s]" % s["origin"] if s["origin"] is not None else ""
    lines.append("%-18s %s%s (%s): %s" % (s["name"], s["value"] or "none", origin, s["range"], s["meaning"]))
if lines != text:
    for a, b in zip(text + [""], lines + [""]):
        if a != b:
            sys.exit("the text has\n  %s\nand JSON\n  %s" % (a, b))
    sys.exit("%d lines of text, %d facts of JSON" % (len(text), len(lines)))
if len(sys.argv) > 3 and not any(s["value"] == sys.argv[3] for s in settings):
    sys.exit("no setting is %s" % sys.argv[3])
END

# same VALUE OPTIONS...: both forms agree, and with VALUE some setting has it.
same() {
	value=$1
	shift
	"$info" "$@" >"$TMPDIR/text" 2>/dev/null || fail "mpi-info $*: exit code $?"
	"$info" --json "$@" >"$TMPDIR/json" 2>/dev/null || fail "mpi-info --json $*: exit code $?"
	python3 "$TMPDIR/same.py" "$TMPDIR/text" "$TMPDIR/json" ${value:+"$value"} || fail "mpi-info --json $*"
}
same ''
same '' --settings
same '' --version
export HAFT_EAGER=4096 HAFT_IFACE='a "quoted\name" 	é'
same "$HAFT_IFACE"
same 4096 --settings
echo 'HAFT_SPIN = 77' >"$TMPDIR/haft.conf"
HAFT_CONF=$TMPDIR/haft.conf same ''
HAFT_IFACE=$(printf 'no\377utf') "$info" --json | python3 -m json.tool >/dev/null || fail "a value that is no UTF-8"
"$info" --json --settings --version >/dev/null 2>&1 && fail "two parts at once"
"$info" --json | grep -q '"library": "Haft' || fail "no library"
finish
