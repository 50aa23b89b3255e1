# SPDX-License-Identifier: BSD-3-Clause
# The sources of libnet, one line a file.  None yet: see README.md.
