# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# The examples of the man pages of topics do what the pages say.  In a page's source, before an
# example:
#     .\" FILE NAME                              the example is the file NAME
#     .\" RUN [code: N] [needs: CMD] [prints: T] the example is run; its exit code; its text
. tests/build/lib.sh
install_tree
pages=$(ls "$PWD"/tools/man/*.7 "$B/man/man7/haft-settings.7" "$B/man/man7/haft-classes.7")
export PATH="$prefix/bin:$PATH" PKG_CONFIG_PATH="$prefix/lib/pkgconfig"

# example PAGE K: the text of the K-th marked example, as it is seen by a reader.
example() {
	awk -v k="$2" '/^\.\\" (FILE|RUN)/ { n++; want = n == k }
		/^\.EE/ { on = 0; want = 0 }
		on { gsub(/\\-/, "-"); gsub(/\\e/, "\\"); gsub(/\\&/, ""); print }
		/^\.EX/ { on = want }' "$1"
}

# word KEY LINE: the text after KEY, up to the next key.
word() {
	printf '%s\n' "$2" | sed -n "s/.* $1: //p" | sed 's/ \(code\|needs\|prints\): .*//'
}

for page in $pages; do
	dir=$TMPDIR/$(basename "$page")
	mkdir "$dir" && cd "$dir" || exit 1
	k=0
	grep '^\.\\" \(FILE\|RUN\)' "$page" >marks
	while IFS= read -r mark; do
		k=$((k + 1))
		case $mark in
		*FILE*) example "$page" $k >"${mark##* }"; continue ;;
		esac
		needs=$(word needs "$mark") code=$(word code "$mark") prints=$(word prints "$mark")
		[ -z "$needs" ] || command -v "$needs" >/dev/null || continue
		example "$page" $k >run.sh
		timeout 100 sh -e run.sh </dev/null >got 2>&1
		rc=$?
		[ $rc = "${code:-0}" ] || fail "${page##*/}: exit code $rc: $(cat run.sh got)"
		[ -z "$prints" ] || grep -qF -- "$prints" got || fail "${page##*/}: not \`$prints': $(cat run.sh got)"
	done <marks
	[ $k -gt 0 ] || fail "${page##*/} has no example that runs"
	[ ! -f launch.json ] || ! command -v python3 >/dev/null || python3 -m json.tool launch.json >got 2>&1 ||
		fail "${page##*/}: launch.json: $(cat got)"
	! command -v groff >/dev/null || [ -z "$(groff -ww -t -man -Tutf8 "$page" 2>&1 >/dev/null)" ] ||
		fail "${page##*/}: $(groff -ww -t -man -Tutf8 "$page" 2>&1 >/dev/null | head -3)"
done
cd /
finish
