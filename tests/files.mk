# SPDX-License-Identifier: BSD-3-Clause
# The sources of tests, one line a file.
