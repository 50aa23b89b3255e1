/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.h - a field of temperatures as a PNG: title, colours, isolines, a scale with numbers. */
#ifndef TESTS_EXAMPLES_HEAT_PICTURE_H
#define TESTS_EXAMPLES_HEAT_PICTURE_H

/* Writes n * n cells, row by row from the bottom, 0 to 100 degrees, into the file `path'.  Returns
 * 0, or -1 on failure; errno is set unless libpng itself failed. */
int picture_write(const char *path, const double *field, int n, const char *title);

#endif
