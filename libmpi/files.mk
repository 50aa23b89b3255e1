# SPDX-License-Identifier: BSD-3-Clause
# The sources of libmpi, one line a file.
