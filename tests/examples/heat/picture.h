/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.h - a field of temperatures as a PNG: colours, isolines, a scale at the right. */
#ifndef TESTS_EXAMPLES_HEAT_PICTURE_H
#define TESTS_EXAMPLES_HEAT_PICTURE_H

/* Writes n * n cells, row by row from the bottom, 0 to 100 degrees, into the file `path'; 0, or -1
 * with errno set or not (libpng's own failures). */
int picture_write(const char *path, const double *field, int n);

#endif
