# SPDX-License-Identifier: BSD-3-Clause
# The sources of libobj, one line a file.
