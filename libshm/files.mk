# SPDX-License-Identifier: BSD-3-Clause
# The sources of libshm, one line a file.
