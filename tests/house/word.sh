# SPDX-License-Identifier: BSD-3-Clause
# A word that no test has in its path is an error, before anything is built: nothing was tested.
# And make help knows these goals.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL
help=$(make help)
for goal in check-net check-mixed check-ofi check-valgrind bench-fort; do
	case $help in
	*"
$goal "*) ;;
	*)
		echo "make help lacks $goal"
		exit 1
		;;
	esac
done
for goal in check-net check-mixed check-ofi check-valgrind; do
	if out=$(make -n "$goal" T=no/such/word 2>&1); then
		echo "make $goal T=no/such/word is no error: $out"
		exit 1
	fi
	case $out in
	*'no test has "no/such/word" in its path'*) ;;
	*)
		echo "make $goal T=no/such/word: $out"
		exit 1
		;;
	esac
done
