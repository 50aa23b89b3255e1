// SPDX-License-Identifier: BSD-3-Clause
/* probe.h - probes: interface of probe.c. */
#ifndef HAFT_P2P_PROBE_H
#define HAFT_P2P_PROBE_H

/* Registers MPI_MESSAGE_NO_PROC.  0 or MPI_ERR_NO_MEM, with words. */
int p2p_probe_open(void);

#endif
