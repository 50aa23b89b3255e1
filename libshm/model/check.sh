#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh BUILD - spin searches every state of the models: those that must hold, and, so that the
# search is known to search, those in which one memory order is broken and which must not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/model"
cd "$1/model"
passed=0 failed=0

# one WANT MODEL FLAG...: WANT is 0 (no error in any state) or 1 (an error is found)
one() {
	want=$1 model=$2
	shift 2
	rm -f pan pan.* ./*.trail
	spin -a "$@" "$here/$model.pml" > spin.log 2>&1 || { cat spin.log; exit 1; }
	${CC:-gcc} -w -O2 -DSAFETY -DCOLLAPSE -DMEMLIM=4000 pan.c -o pan
	./pan -m1000000 > pan.log 2>&1 || true
	got=$(sed -n 's/.*errors: \([0-9]*\)$/\1/p' pan.log)
	states=$(awk '/states, stored/ { print $1 }' pan.log)
	what=$(sed -n 's/^pan:1: //p' pan.log)
	if grep -q 'search not completed\|max search depth too small' pan.log && [ "$want" = 0 ]; then
		got=incomplete
	fi
	if [ "$got" = "$want" ]; then
		passed=$((passed + 1)) word=ok
	else
		failed=$((failed + 1)) word=FAILED
	fi
	printf '%-6s %s %s: %s states, %s\n' "$word" "$model" "$*" "$states" "${what:-no error}"
}

one 0 ring
one 1 ring -DWORD_RELAXED
one 1 ring -DREAD_BEFORE_WORD
one 1 ring -DCREDIT_BEFORE_READ
one 1 ring -DNO_LAP
one 0 inbox
one 1 inbox -DSEQUENCE_RELAXED
one 1 inbox -DBLIND
one 1 inbox -DFREE_BEFORE_READ
one 0 doorbell
one 0 doorbell -DFENCE
one 1 doorbell -DNOTHING
one 1 doorbell -DCHECK_FIRST
one 1 doorbell -DFENCE -DCHECK_FIRST
one 0 seat
one 0 seat -DTENANTS=3 -DEACH=2
one 1 seat -DNO_DRAIN
one 1 seat -DNO_NAME
one 1 seat -DNO_FACE
one 1 seat -DGIVE_AT_CLOSE
lock=../../libmpi/rma/model/lock
one 0 $lock -DEACH=1
one 1 $lock -DEACH=1 -DGIVE_ONCE
one 1 $lock -DEACH=1 -DWAKE_ONCE
one 1 $lock -DTWICE=3 -DREST_CHOSEN
one 1 $lock -DTWICE=3 -DTELL_FIRST
one 1 $lock -DGIVE_STORE
one 1 $lock -DTWICE=3 -DREGRANT
all=../../libmpi/rma/model/lock_all
one 0 $all
one 1 $all -DHOLD
box=../../libmpi/rma/model/mailbox
one 0 $box
one 0 $box -DFENCE
one 1 $box -DNO_BARRIER
one 1 $box -DONE_CHECK
one 1 $box -DHASTY
one 1 $box -DSILENT
stage=../../libmpi/io/model/stage
one 0 $stage
one 0 $stage -DHOLES
one 0 $stage -DREAD
one 1 $stage -DAT_ONCE
one 1 $stage -DHOLES -DAT_ONCE
one 1 $stage -DREAD -DAT_ONCE
one 1 $stage -DONE_HALF
one 1 $stage -DHOLES -DUNREADY
one 1 $stage -DREAD -DBOTH
table=../../libmpi/io/model/lock_table
one 0 $table -DMUTEX
one 0 $table -DDEATHS=0
one 0 $table -DPROCESSES=2 -DEACH=2 -DRANGES
one 1 $table -DMUTEX -DROB_STORE
one 1 $table -DMUTEX -DNO_COUNT
one 1 $table -DMUTEX -DLATE_SEEN
one 1 $table -DPROCESSES=2 -DNO_TICKET
one 1 $table -DDEATHS=0 -DUNSEEN
one 1 $table -DDEATHS=0 -DNO_SECOND
one 1 $table -DDEATHS=0 -DNO_TELL
one 1 $table -DDEATHS=0 -DLATE_COUNT
echo "models: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
