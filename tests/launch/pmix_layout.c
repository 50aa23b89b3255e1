// SPDX-License-Identifier: BSD-3-Clause
/* pmix_layout.c - sizes, offsets and constants as a header of PMIx has them.  pmixabi.sh compiles
 * this with PMIx's own header and with ours.  HEADER, PROC, VALUE and so on: their names there. */
#include HEADER
#include <stddef.h>
#include <stdio.h>

typedef PROC proc;
typedef VALUE value;
typedef INFO info;
typedef APP app;
typedef PDATA pdata;

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
