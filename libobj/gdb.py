# SPDX-License-Identifier: BSD-3-Clause
"""gdb.py - libobj in gdb: objects in words, and a list of those that are alive.

    (gdb) source gdb.py
    (gdb) print *task
    $1 = {obj = task 0x5a01000001000001 "solver" (user 1, references 2), next = 0x0, ...}
    (gdb) obj                    all live and pending objects, class by class
    (gdb) obj task               those of one class
    (gdb) obj 0x5a01000001000001 one object, by token, INTEGER form or address

Reads memory only, calls nothing in the program: it works on core files.  Needs libobj's debug information.
"""
import gdb

USER_SHIFT = 32
USER_MASK = 0x3FFFFFFF
INTERNAL_MASK = 0x7FFFFFFF
SATURATED = 1 << 31
CLOSING = 1 << 62
PERMANENT_MAX = 4096
EXT_LINK = 1


def text(value):
    """A C string, or "" if it cannot be read."""
    try:
        return value.string() if int(value) else ""
    except (gdb.MemoryError, UnicodeDecodeError):
        return "?"


class Object:
    """One `struct obj' (a gdb.Value, not a pointer)."""

    def __init__(self, value):
        self.value = value
        self.token = int(value["token"])
        self.refs = int(value["refs"])

    @property
    def permanent(self):
        return self.refs & SATURATED and self.token < PERMANENT_MAX

    @property
    def user(self):
        return (self.refs >> USER_SHIFT) & USER_MASK

    def class_name(self):
        return text(self.value["u"]["cls"]["in"]["desc"]["name"])

    def name(self):
        ext = int(self.value["ext"])
        if self.refs and ext and not ext & EXT_LINK:
            ext = self.value["ext"].cast(gdb.lookup_type("struct ext").pointer())
            if int(ext["name"]):
                return text(ext["name"])
        return text(self.value["site"].cast(gdb.lookup_type("char").pointer())) if self.permanent else ""

    def words(self):
        if not self.refs:
            return "free slot, last token 0x%x" % self.token
        out = "%s 0x%x" % (self.class_name(), self.token)
        name = self.name()
        if name:
            out += ' "%s"' % name
        if self.permanent:
            return out + " (permanent)"
        out += " (user %d, references %d)" % (self.user, self.refs & INTERNAL_MASK)
        if not self.user:
            out += " pending"
        return out + (" being freed" if self.refs & CLOSING else "")


class ObjectPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        try:
            return Object(self.value).words()
        except (gdb.error, RuntimeError) as e:
            return "unreadable object (%s)" % e


def lookup(value):
    kind = value.type.strip_typedefs()
    return ObjectPrinter(value) if kind.code == gdb.TYPE_CODE_STRUCT and kind.tag == "obj" else None


def domains():
    at = gdb.lookup_global_symbol("obj_domains") or gdb.lookup_static_symbol("obj_domains")
    at = at.value() if at else gdb.parse_and_eval("obj_domains")
    while int(at):
        yield at.dereference()
        at = at["next"]


def classes(domain):
    for i in range(256):
        cls = domain["cls"][i]
        if int(cls) and int(cls["in"]):
            yield cls.dereference()


def objects(cls):
    """The live and pending objects in the slots of a class."""
    header = gdb.lookup_type("struct obj").pointer()
    inside = cls["in"].dereference()
    base, stride = int(cls["base"]), int(cls["stride"])
    for index in range(1, int(inside["hi"])):
        o = gdb.Value(base + index * stride).cast(header)
        try:
            if int(o["refs"]):
                yield o
        except gdb.MemoryError:
            return


def permanents(domain, cls):
    address = int(cls.address)
    for i in range(1, PERMANENT_MAX):
        o = domain["perm"][i]
        if int(o) and int(o["u"]["cls"]) == address:
            yield o


class ObjCommand(gdb.Command):
    """List libobj's live objects.
Usage: obj [CLASS | HANDLE]
Without argument, all objects of all classes; CLASS is a class's name; HANDLE is a token, an INTEGER form or an
address (an expression)."""

    def __init__(self):
        super().__init__("obj", gdb.COMMAND_DATA)

    def invoke(self, arg, from_tty):
        arg = arg.strip()
        names = [text(c["in"]["desc"]["name"]) for d in domains() for c in classes(d)]
        if arg and arg not in names:
            try:
                handle = int(gdb.parse_and_eval(arg)) & (1 << 64) - 1
            except gdb.error:
                print("%s: no class, and no expression" % arg)
                return
            self.one(handle)
            return
        for d in domains():
            for c in classes(d):
                if not arg or text(c["in"]["desc"]["name"]) == arg:
                    self.some(d, c)

    def some(self, domain, cls):
        every = list(permanents(domain, cls)) + list(objects(cls))
        if not every:
            return
        name = text(domain["opts"]["name"])
        print("%s of %s: %d" % (text(cls["in"]["desc"]["name"]), name or "(no name)", len(every)))
        for o in every:
            print("  0x%x: %s" % (int(o), Object(o.dereference()).words()))

    def one(self, wanted):
        for d in domains():
            for c in classes(d):
                for o in list(permanents(d, c)) + list(objects(c)):
                    token = int(o["token"])
                    if wanted in (token, token & 0x7FFFFFFF, int(o)):
                        print("0x%x: %s" % (int(o), Object(o.dereference()).words()))
                        return
        print("0x%x is no live object" % wanted)


gdb.pretty_printers.append(lookup)
ObjCommand()
