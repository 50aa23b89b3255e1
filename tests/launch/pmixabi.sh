# SPDX-License-Identifier: BSD-3-Clause
# RUN time=20
# libmpi/boot/pmix.h says what PMIx's own headers say.
. tests/launch/lib.sh
flags=$(pkg-config --cflags pmix 2>/dev/null) && echo '#include <pmix.h>' | cc $flags -E - >/dev/null 2>&1 || {
	echo 'skipped: no pmix.h (Debian: libpmix-dev)'
	exit 77
}

# numbers HEADER PROC VALUE INFO APP PDATA FLAGS...: what a program sees.
numbers() {
	header=$1 proc=$2 value=$3 info=$4 app=$5 pdata=$6
	shift 6
	cat >"$TMPDIR/n.c" <<-E
		#include $header
		#include <stddef.h>
		#include <stdio.h>
		typedef $proc proc;
		typedef $value value;
		typedef $info info;
		typedef $app app;
		typedef $pdata pdata;
		#define N(x) printf("%s %lld\n", #x, (long long)(x))
		int main(void)
		{
			N(sizeof(proc)), N(sizeof(value)), N(sizeof(info));
			N(offsetof(proc, nspace)), N(offsetof(proc, rank));
			N(offsetof(value, type)), N(offsetof(value, data)), N(sizeof(((value *)0)->type));
			N(offsetof(value, data.string)), N(offsetof(value, data.uint32));
			N(offsetof(value, data.flag));
			N(offsetof(info, key)), N(offsetof(info, flags)), N(offsetof(info, value));
			N(sizeof(app)), N(offsetof(app, env)), N(offsetof(app, cwd)), N(offsetof(app, maxprocs));
			N(offsetof(app, info)), N(offsetof(app, ninfo));
			N(sizeof(pdata)), N(offsetof(pdata, key)), N(offsetof(pdata, value));
			N(PMIX_GLOBAL), N(PMIX_BOOL), N(PMIX_STRING), N(PMIX_UINT32), N(PMIX_RANK_WILDCARD);
			puts(PMIX_JOB_SIZE " " PMIX_APPNUM " " PMIX_UNIV_SIZE " " PMIX_COLLECT_DATA);
			return 0;
		}
	E
	cc -I. "$@" "$TMPDIR/n.c" -o "$TMPDIR/n" && "$TMPDIR/n"
}
numbers '"libmpi/boot/pmix.h"' 'struct pmix_proc' 'struct pmix_value' 'struct pmix_info' \
	'struct pmix_app' 'struct pmix_pdata' >"$out" ||
	fail 'ours does not compile'
numbers '<pmix.h>' pmix_proc_t pmix_value_t pmix_info_t pmix_app_t pmix_pdata_t $flags >"$err" || fail 'theirs does not compile'
diff "$out" "$err" || fail 'they differ'
[ -s "$out" ] || fail 'no numbers'
finish
