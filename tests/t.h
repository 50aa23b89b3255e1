// SPDX-License-Identifier: BSD-3-Clause
/* t.h - old names of check.h's expectations. */
#ifndef TESTS_T_H
#define TESTS_T_H

#include "tests/check.h"

#define t_true   expect
#define t_ok     expect_ok
#define t_eq     expect_eq
#define t_end    check_end
#define t_skip   check_skip
#define t_failed check_failed

#endif
