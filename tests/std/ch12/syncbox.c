/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,4,8 env="HAFT_RMA=box" time=120 */
/* MPI-5.0 12.5.1, 12.5.2, 12.5.3, 12.5.4, 12.5.5: small data is moved by its process (rma/mailbox.h).
 */
#include "tests/std/ch12/sync.h"
