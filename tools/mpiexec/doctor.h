// SPDX-License-Identifier: BSD-3-Clause
/* doctor.h - mpiexec -doctor: is this machine fit for jobs? */
#ifndef HAFT_TOOLS_MPIEXEC_DOCTOR_H
#define HAFT_TOOLS_MPIEXEC_DOCTOR_H

/* Prints a line for each thing that it looks at: the finding, and how to mend it.
 * Returns how many things would make jobs fail. */
int doctor_print(void);

#endif
