# SPDX-License-Identifier: BSD-3-Clause
# RUN time=20
# libmpi/boot/pmix.h says what PMIx's own headers say.
. tests/launch/lib.sh
flags=$(pkg-config --cflags pmix 2>/dev/null) && echo '#include <pmix.h>' | cc $flags -E - >/dev/null 2>&1 || {
	echo 'skipped: no pmix.h (Debian: libpmix-dev)'
	exit 77
}

# numbers HEADER PROC VALUE INFO APP PDATA FLAGS...: the program's view.
numbers() {
	header=$1 proc=$2 value=$3 info=$4 app=$5 pdata=$6
	shift 6
	cc -I. "-DHEADER=$header" "-DPROC=$proc" "-DVALUE=$value" "-DINFO=$info" "-DAPP=$app" \
		"-DPDATA=$pdata" "$@" tests/launch/pmix_layout.c -o "$TMPDIR/n" && "$TMPDIR/n"
}
numbers '"libmpi/boot/pmix.h"' 'struct pmix_proc' 'struct pmix_value' 'struct pmix_info' \
	'struct pmix_app' 'struct pmix_pdata' >"$out" ||
	fail 'ours does not compile'
numbers '<pmix.h>' pmix_proc_t pmix_value_t pmix_info_t pmix_app_t pmix_pdata_t $flags >"$err" || fail 'theirs does not compile'
diff "$out" "$err" || fail 'they differ'
[ -s "$out" ] || fail 'no numbers'
finish
