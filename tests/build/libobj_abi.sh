# SPDX-License-Identifier: BSD-3-Clause
# The ABI of libobj.so.0: its symbols, and the layout of the structs that programs have compiled in,
# are those of libobj/abi.txt.  Symbols may be added (with a new node of the map, and new lines in
# the file), and fields at the end of structs that begin with their size.
case $B in *-address* | *-thread* | *-undefined*) exit 77 ;; esac
[ "$(uname -m)" = x86_64 ] || exit 77 # the file has the sizes of this ABI
out=$TMPDIR/abi

# A program that prints the layout in the words of the file.
{
	echo '#include "libobj/obj.h"'
	echo '#include <stdio.h>'
	printf '%s\n' '#define ROW(what, n) printf("%s %llu\n", what, (unsigned long long)(n));'
	echo 'int main(void) {'
	while read -r s fields; do
		echo "ROW(\"struct $s\", sizeof(struct $s))"
		for f in $fields; do echo "ROW(\"field $s.$f\", offsetof(struct $s, $f))"; done
	done <<-END
		obj token refs u ext site
		obj_class base limit stride perm nperm shared id flags domain null_value quarantine spill in
		obj_site file line func
		obj_diag why handle cls other name created freed text
		obj_domain_opts size name quarantine trace alloc fork threads report report_ctx user_begin user_end
		obj_class_desc size name obj_size name_max flags max quarantine null_value construct on_free destroy describe
		obj_attr_call handle object key extra in out flag fn ctx
		obj_lang_desc size name form copy del copy_sig del_sig ctx
		obj_keyval_desc size lang flags copy del extra extra_free
		obj_class_stats size live pending permanent created slots retired capacity stride
		obj_arena_opts size alloc grow ctx
		obj_lock word rank name
	END
	while read -r value; do
		echo "ROW(\"value $value\", $value)"
	done <<-END
		OBJ_REFS_SATURATED
		OBJ_REFS_USER
		OBJ_PERMANENT_MAX
		OBJ_INDEX_MAX
		OBJ_INVALID
		OBJ_F_DIRECT
		OBJ_F_SHARED
		OBJ_FORK_FOREIGN
		OBJ_LANG_USER
		OBJ_FMT_JSON
	END
	echo '}'
} >"$TMPDIR/layout.c"
cc -I. "$TMPDIR/layout.c" -o "$TMPDIR/layout" || exit 1
{
	grep '^#' libobj/abi.txt
	nm -D --defined-only "$B/lib/libobj.so.0" | awk '{ print "symbol", $3 }' | LC_ALL=C sort
	"$TMPDIR/layout"
} >"$out"
rc=0
diff libobj/abi.txt "$out" || {
	echo "the ABI of libobj is another one than that of libobj/abi.txt"
	rc=1
}
rm -rf "${TMPDIR:?}"/*
exit $rc
