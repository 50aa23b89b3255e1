# SPDX-License-Identifier: BSD-3-Clause
# The sources of libobj: every .c file of the folder, and the libraries made of them.
libobj_SRCS := $(sort $(wildcard libobj/*.c))

# Not built here: they show what an installed libobj is for.
libobj_EXAMPLES := tests/examples/tasks/tasks.c
libobj_STREAMS := $(wildcard tests/examples/streams/*)

all: $(B)/lib/libobj.a $(B)/lib/libobj.so $(B)/lib/pkgconfig/libobj.pc

$(B)/lib/libobj.a: $(patsubst %.c,$(B)/obj/%.o,$(libobj_SRCS))
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# nodelete: threads that end later give their slots back by code of this library.
$(B)/lib/libobj.so.0: $(call objs,$(libobj_SRCS)) libobj/libobj.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(ldflags) -Wl,-soname,libobj.so.0 -Wl,-z,nodelete \
		-Wl,--version-script,libobj/libobj.map $(filter %.o,$^) $(libobj_LIBS) -ldl -lpthread -o $@

$(B)/lib/libobj.so: $(B)/lib/libobj.so.0
	$(Q)ln -sf libobj.so.0 $@

$(B)/lib/pkgconfig/libobj.pc: libobj/libobj.pc.in libobj/obj.h
	@mkdir -p $(@D)
	$(Q)sed -e "s|@VERSION@|$$(sed -n 's/^#define OBJ_VERSION "\(.*\)"/\1/p' libobj/obj.h)|" $< >$@

# The page is found by the name of each function, too.
libobj_FNS = $(shell sed -n 's/^\.Fn \([a-z_]*\).*/\1/p' libobj/obj.3 | sort -u)
libobj_DOC = $(DATADIR)/doc/libobj
install-libobj:
	install -d $(call dest,$(INCLUDEDIR))/libobj $(call dest,$(LIBDIR)) $(call dest,$(DEVDIR))/pkgconfig \
		$(call dest,$(MANDIR))/man3 $(call dest,$(DATADIR))/libobj $(call dest,$(libobj_DOC))/examples/tasks $(call dest,$(libobj_DOC))/examples/streams
	install -m 644 libobj/obj.h $(call dest,$(INCLUDEDIR))/libobj/
	install -m 644 $(B)/lib/libobj.so.0 $(call dest,$(LIBDIR))/
	install -m 644 $(B)/lib/libobj.a $(call dest,$(DEVDIR))/
	$(layout) tools/pack/layout.sh link libobj.so.0 $(call dest,$(DEVDIR))/libobj.so
	$(layout_pc) $(B)/lib/pkgconfig/libobj.pc $(call dest,$(DEVDIR))/pkgconfig/
	install -m 644 libobj/obj.3 $(call dest,$(MANDIR))/man3/
	for f in $(libobj_FNS); do ln -sf obj.3 $(call dest,$(MANDIR))/man3/$$f.3; done
	install -m 644 libobj/gdb.py $(call dest,$(DATADIR))/libobj/
	install -m 644 libobj/README.md $(call dest,$(libobj_DOC))/
	install -m 644 $(libobj_EXAMPLES) $(call dest,$(libobj_DOC))/examples/tasks/
	install -m 644 $(libobj_STREAMS) $(call dest,$(libobj_DOC))/examples/streams/
