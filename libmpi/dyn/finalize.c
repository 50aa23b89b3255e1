// SPDX-License-Identifier: BSD-3-Clause
/* finalize.c - MPI_Finalize closes ports and withdraws names that the program has left (MPI-5.0
 * 11.9): they would refuse or mislead others as long as the process lives. */
#include "libmpi/dyn/host_names.h"
#include "libmpi/dyn/name_client.h"
#include "libmpi/dyn/port.h"
#include "libmpi/life/life.h"
#include <engine.h>

HAFT_START int dyn_finalize(void)
{
	int err = life_finalize();

	if (err == 0) {
		dyn_service_close();
		dyn_server_close();
		dyn_port_close_all();
	}
	return err;
}
