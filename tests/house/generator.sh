# SPDX-License-Identifier: BSD-3-Clause
# The generator knows no name: it asks tables for kinds, roles and flags, and compares text only
# with its own arguments, with words of C and Fortran, and with a table's word for "nothing".
set -u
known='bind fort man qmpi int none NONE VALUE INTENT(IN) INTENT(OUT) INTENT(INOUT)'
bad=0
for word in $(grep -hoE 'str(n|case|ncase)?cmp\([^;]*|strstr\([^;]*' libmpi/api/gen*.c |
	grep -oE '"[^"]*"' | tr -d '"' | sort -u); do
	case " $(echo $known) " in
	*" $word "*) ;;
	*)
		echo "libmpi/api: the generator compares with \"$word\""
		bad=1
		;;
	esac
done
exit $bad
