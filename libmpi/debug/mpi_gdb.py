# SPDX-License-Identifier: BSD-3-Clause
"""mpi_gdb.py - MPI in gdb: this rank, its queues of messages, its communicators, requests and windows.

    (gdb) source PREFIX/share/haft/gdb.py
    (gdb) mpi                    rank 1 of 4, process 4711, in MPI_Recv
    (gdb) mpi queues             posted receives, unexpected messages and sends that are not done, by communicator
    (gdb) mpi comms              communicators: name, rank, size, context, topology
    (gdb) mpi windows            windows: base, bytes, epoch
    (gdb) mpi request R          one request: an expression of type MPI_Request, or a number
    (gdb) print comm             $1 = communicator 0x5a01... "ocean", rank 1 of 4

Reads memory only, calls nothing in the program: it works on core files.  Needs the debug information of libmpi_abi,
and libobj's gdb.py beside it, which has the command obj.
"""
import importlib.util
import os

import gdb

ANY_SOURCE = -1
ANY_TAG = -2
PLANES = 8
P2P = 0


def libobj_load():
    """libobj's module: beside this file as installed, or that of the source."""
    here = os.path.dirname(os.path.abspath(__file__))
    for place in ("libobj_gdb.py", "../../libobj/gdb.py"):
        path = os.path.normpath(os.path.join(here, place))
        if os.path.exists(path):
            spec = importlib.util.spec_from_file_location("libobj_gdb", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise gdb.GdbError("libobj's gdb.py is not found beside " + here)


libobj = libobj_load()


def variable(name):
    """A variable of libmpi_abi, which shows only few names: found by its debug information."""
    symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    return symbol.value() if symbol else gdb.parse_and_eval(name)


def pointer(kind):
    return gdb.lookup_type(kind).pointer()


def enum_name(value, kind, prefix):
    """COLL of REQ_COLL; the number if it has no name."""
    for field in gdb.lookup_type(kind).fields():
        if field.enumval == int(value):
            return field.name[len(prefix):].lower()
    return str(int(value))


# --- objects -------------------------------------------------------------------------------------


def objects(class_name, kind):
    """The objects of a class: struct comm and its like."""
    cls = variable(class_name)
    domain = variable("haft_domain")
    if not int(domain) or not int(cls["in"]):
        return
    for o in list(libobj.permanents(domain.dereference(), cls)) + list(libobj.objects(cls)):
        yield o.cast(pointer(kind))


def by_handle(handle, class_name, kind):
    for o in objects(class_name, kind):
        if int(o["o"]["token"]) == handle:
            return o
    return None


def name_of(o):
    return libobj.Object(o["o"]).name()


def title(o, what):
    """communicator 0x5a01.. "ocean", or the name of a predefined object."""
    obj = libobj.Object(o["o"])
    name = obj.name()
    if obj.permanent and name:
        return name
    return "%s 0x%x%s" % (what, obj.token, ' "%s"' % name if name else "")


# --- communicators -------------------------------------------------------------------------------


def peers(comm):
    return comm["remote"] if int(comm["remote"]) else comm["group"]


def rank_of(group, peer):
    """The rank of a process in a group; None: it is no member."""
    if not int(group):
        return None
    size = int(group["size"])
    if int(group["map"]):
        for r in range(size):
            if int(group["map"][r]) == peer:
                return r
        return None
    r, rest = divmod(peer - int(group["base"]), int(group["stride"]))
    return r if rest == 0 and 0 <= r < size else None


def comm_words(comm):
    out = "%s, rank %d of %d" % (title(comm, "communicator"), int(comm["rank"]), int(comm["size"]))
    if int(comm["remote"]):
        out += ", remote group of %d" % int(comm["remote"]["size"])
    if int(comm["topo"]):
        out += ", with a topology"
    if int(comm["hints"]) & 128:
        out += ", revoked"
    return out


def comms():
    return sorted(objects("haft_comm_class", "struct comm"), key=lambda c: int(c["ctx"]))


# --- requests and messages -----------------------------------------------------------------------


def whom(comm, peer):
    if peer == ANY_SOURCE:
        return "any rank"
    rank = rank_of(peers(comm), peer) if comm is not None else None
    return "process %d" % peer if rank is None else "rank %d" % rank


def tag_words(tag):
    return "any tag" if tag == ANY_TAG else "tag %d" % tag


def data_words(r):
    if int(r["type"]) and int(r["count"]) >= 0:
        return "%d x %s" % (int(r["count"]), title(r["type"], "datatype"))
    return "%d bytes" % int(r["bytes"])


def request_words(r):
    kind = enum_name(r["kind"], "enum req_kind", "REQ_")
    comm = r["comm"] if int(r["comm"]) else None
    words = {"send": "sends", "recv": "receives", "psend": "sends partitions of", "precv": "receives partitions of"}
    out = title(r, "request") if int(r["o"]["token"]) else "a blocking call"
    if kind in words:
        way = "to" if kind in ("send", "psend") else "from"
        out += " %s %s %s %s, %s" % (
            words[kind], data_words(r), way, whom(comm, int(r["peer"])), tag_words(int(r["tag"])))
    else:
        out += {"coll": " of a collective call", "user": " of MPI_Grequest_start", "io": " of a file",
                "done": " with nothing left to do"}.get(kind, " " + kind)
    if comm is not None:
        out += ", " + title(comm, "communicator")
    if int(r["persist"]):
        out += ", persistent" + ("" if int(r["active"]) else ", inactive")
    if int(r["done"]):
        out += ", done"
    elif int(r["moved"]):
        out += ", %d bytes moved" % int(r["moved"])
    return out


def posted():
    """The receives that wait for a message, in the order in which they were posted."""
    match = variable("p2p_match")
    found = []
    for i in range(int(match["mask"]) + 1 if int(match["posted"]) else 0):
        r = match["posted"][i]["head"]
        while int(r):
            found.append(r)
            r = r["next"]
    return sorted(found, key=lambda r: int(r["recv"]["order"]))


def unexpected():
    """The messages that no receive has asked for."""
    table = variable("p2p_messages")
    for i in range(int(table["mask"]) + 1 if int(table["key"]) else 0):
        u = table["key"][i]["head"]
        while int(u):
            yield u
            u = u["next"]


def sends():
    """The sends that are not done: those with a handle, and those that wait for an answer or for room."""
    state = variable("p2p_state")
    kind = int(gdb.parse_and_eval("REQ_SEND"))
    found = {}

    def add(r):
        if int(r) and int(r["kind"]) == kind and not int(r["done"]) and (not int(r["persist"]) or int(r["active"])):
            found[int(r)] = r

    for r in objects("haft_req_class", "struct req"):
        add(r)
    for i in range(int(state["ids"]["n"])):
        thing = state["ids"]["at"][i]
        if int(thing) & 1 == 0:
            add(thing.cast(pointer("struct req")))
    peer = state["worklist"]
    while int(peer):
        for queue in ("out", "pipe_sends"):
            r = peer[queue]["head"]
            while int(r):
                add(r)
                r = r["next"]
        peer = peer["worklist_next"]
    for u in unexpected():
        add(u["sender"])
    return [found[at] for at in sorted(found)]


# --- the rank ------------------------------------------------------------------------------------


def current_call():
    """The MPI function that the selected thread is in, by its frames; else the one that passed the gate last."""
    frame = gdb.newest_frame()
    found = ""
    inside = False
    while frame is not None:
        name = frame.name() or ""
        plain = name[1:] if name.startswith("PMPI_") else name
        if plain.startswith("MPI_"):
            found = plain
        inside = inside or plain.startswith("MPI_") or any(
            name.startswith(p) for p in ("p2p_", "coll_", "via_", "shm_", "rma_", "comm_", "bind_"))
        frame = frame.older()
    if found or not inside:
        return found
    try:
        return libobj.text(variable("haft_gated_call"))
    except gdb.error:
        return ""


def life_words():
    life = variable("haft_life")
    state = enum_name(life["state"], "enum haft_state", "HAFT_")
    where = {"before": "before MPI_Init", "after": "after MPI_Finalize"}.get(state, "")
    call = current_call()
    inferior = gdb.selected_inferior()
    out = "rank %d of %d" % (int(life["rank"]), int(life["size"]))
    if int(life["spawn"]):
        out += " of spawn %d" % int(life["spawn"])
    if inferior.pid:
        out += ", process %d" % inferior.pid
    if where:
        return out + ", " + where
    return out + (", in " + call if call else ", in its own code")


class Mpi(gdb.Command):
    """This rank, and its objects of MPI.
Usage: mpi [queues | comms | windows | request R]"""

    def __init__(self):
        super().__init__("mpi", gdb.COMMAND_DATA)

    def complete(self, text, word):
        return [w for w in ("queues", "comms", "windows", "request") if w.startswith(word)]

    def invoke(self, arg, from_tty):
        word, _, rest = arg.strip().partition(" ")
        action = {"": self.state, "queues": self.queues, "comms": self.comms, "windows": self.windows}
        if word == "request" and rest:
            self.request(rest)
        elif word in action and not rest:
            action[word]()
        else:
            raise gdb.GdbError("mpi [queues | comms | windows | request R]")

    def state(self):
        print(life_words())
        print("  %d receives are posted, %d messages unexpected, %d sends not done" % (
            len(posted()), len(list(unexpected())), len(sends())))

    def queues(self):
        lines = {}
        known = {int(c["ctx"]): c for c in comms()}

        def add(ctx, line):
            plane = ctx % PLANES
            if plane != P2P:
                line += " (%s)" % enum_name(plane, "enum ctx_plane", "CTX_")
            lines.setdefault(ctx - plane, []).append(line)

        def comm_at(ctx):
            return known.get(ctx - ctx % PLANES)

        for r in posted():
            ctx = int(r["ctx"])
            add(ctx, "posted: %s from %s, %s" % (data_words(r), whom(comm_at(ctx), int(r["peer"])), tag_words(int(r["tag"]))))
        for u in unexpected():
            ctx = int(u["ctx"])
            add(ctx, "unexpected: %d bytes from %s, tag %d%s" % (
                int(u["total"]), whom(comm_at(ctx), int(u["peer"])), int(u["tag"]),
                ", still at the sender" if int(u["is_rts"]) else ""))
        for r in sends():
            ctx = int(r["ctx"])
            add(ctx, "sending: %s to %s, tag %d, %d of %d bytes moved" % (
                data_words(r), whom(comm_at(ctx), int(r["peer"])), int(r["tag"]), int(r["moved"]), int(r["bytes"])))
        if not lines:
            print("all queues are empty")
        for ctx in sorted(lines):
            print(comm_words(known[ctx]) if ctx in known else "communicator with context %d" % ctx)
            for line in lines[ctx]:
                print("  " + line)

    def comms(self):
        for c in comms():
            print("%s, context %d" % (comm_words(c), int(c["ctx"])))

    def windows(self):
        every = list(objects("haft_win_class", "struct win"))
        for w in every:
            print(win_words(w))
        if not every:
            print("no windows")

    def request(self, text):
        handle = int(gdb.parse_and_eval(text).cast(gdb.lookup_type("unsigned long")))
        r = by_handle(handle, "haft_req_class", "struct req")
        print(request_words(r) if r is not None else "0x%x is no live request" % handle)


# --- printers ------------------------------------------------------------------------------------


def win_words(w):
    return "%s, rank %d of %d, %d bytes at 0x%x, unit %d%s" % (
        title(w, "window"), int(w["rank"]), int(w["size"]), int(w["bytes"]), int(w["base"]), int(w["unit"]),
        ", in an epoch" if int(w["open"]) else "")


def type_words(t):
    out = title(t, "datatype")
    if libobj.Object(t["o"]).permanent:
        return out
    return out + ", %d bytes, extent %d, %s" % (
        int(t["size"]), int(t["extent"]), "committed" if int(t["committed"]) else "not committed")


HANDLES = {
    "MPI_Comm": ("haft_comm_class", "struct comm", comm_words, "MPI_COMM_NULL"),
    "MPI_Datatype": ("haft_type_class", "struct type", type_words, "MPI_DATATYPE_NULL"),
    "MPI_Request": ("haft_req_class", "struct req", request_words, "MPI_REQUEST_NULL"),
    "MPI_Win": ("haft_win_class", "struct win", win_words, "MPI_WIN_NULL"),
}


class HandlePrinter:
    def __init__(self, value, row):
        self.value = value
        self.row = row

    def to_string(self):
        class_name, kind, words, null = self.row
        handle = int(self.value)
        try:
            o = by_handle(handle, class_name, kind)
        except (gdb.error, RuntimeError) as e:
            return "0x%x (%s)" % (handle, e)
        if o is not None:
            return words(o)
        return "0x%x, %s or no live object" % (handle, null) if handle < libobj.PERMANENT_MAX else "0x%x, no live object" % handle


class StatusPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        low, high = int(self.value["MPI_internal"][0]), int(self.value["MPI_internal"][1])
        out = "source %d, tag %d, error %d, %d bytes" % (
            int(self.value["MPI_SOURCE"]), int(self.value["MPI_TAG"]), int(self.value["MPI_ERROR"]),
            (high << 32) | (low & 0xFFFFFFFF))
        return out + (", cancelled" if int(self.value["MPI_internal"][2]) else "")


def lookup(value):
    name = value.type.unqualified().name
    if name in HANDLES and value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        return HandlePrinter(value, HANDLES[name])
    return StatusPrinter(value) if name == "MPI_Status" else None


gdb.pretty_printers.append(lookup)
Mpi()
