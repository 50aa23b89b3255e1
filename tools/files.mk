# SPDX-License-Identifier: BSD-3-Clause
# The sources of tools, one line a file.
