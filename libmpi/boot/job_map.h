// SPDX-License-Identifier: BSD-3-Clause
/* job_map.h - the parts of a job's map, for job_map.c, which makes it, and job_map_read.c. */
#ifndef LIBMPI_BOOT_JOB_MAP_H
#define LIBMPI_BOOT_JOB_MAP_H

#include "libmpi/boot/boot.h"

#define BOOT_PORTS 65536u /* boot_row.addr: below, a port; else BOOT_PORTS + the place of a text */

/* By rank. */
struct boot_row {
	uint32_t host;
	uint32_t addr; /* 0: it does not listen */
};

/* By host. */
struct boot_host {
	uint32_t name; /* text, at this byte of the map */
	uint32_t text; /* of its address up to the port, "tcp:[fd00::2]:"; 0: it is ip */
	uint32_t ip;   /* of "tcp:10.0.0.2:", as four bytes, the first one highest; 0: no address */
};

/* "tcp:10.0.0.2:" for boot_host.ip.  Returns its length. */
size_t boot_ip_text(uint32_t ip, char *text, size_t len);

/* From now on boot_host_of and its like answer from this map.  NULL: one host, and no rank
 * listens. */
void boot_map_use(const struct boot_map *map);

/* From now on boot_seat_of and boot_number_at know the tenants of the seats of this segment. */
void boot_seats_use(struct shm_seg *seg);

#endif
