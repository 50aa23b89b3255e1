# SPDX-License-Identifier: BSD-3-Clause
"""streams.py - the device with streams of work, for Python, by ctypes.

    import streams
    with streams.Device() as device:
        queue, buffer = streams.Queue("work"), streams.Buffer(800)
        kernel = streams.Kernel(function)   # function(n, [address, ...]): None, or the code of an error
        device.launch(queue, kernel, 100, buffer)
        queue.sync()

Handles are the C library's own.  An object of Python that goes frees its handle; one that was freed
already is told by the library, in words."""
import ctypes
import os

KERNEL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
lib = ctypes.CDLL(os.environ.get("STREAMS_LIBRARY", "libstreams.so"))
lib.st_error_text.restype = ctypes.c_char_p
lib.st_finalize.restype = ctypes.c_long
# Handles have 64 bits: ctypes would take them for ints.
for name, types in {
        "st_queue_new": "p", "st_queue_spawn": "hp", "st_queue_free": "p", "st_queue_sync": "h",
        "st_queue_wait": "hh", "st_queue_name": "hs", "st_event_new": "p", "st_event_free": "p",
        "st_event_record": "hh", "st_event_sync": "h", "st_event_query": "hI", "st_event_elapsed": "hhN",
        "st_buffer_new": "zp", "st_buffer_free": "p", "st_buffer_name": "hs", "st_copy": "hhhz",
        "st_write": "hhzsz", "st_read": "hhhzz", "st_kernel_new": "iKhp", "st_kernel_free": "p",
        "st_launch": "hhziP"}.items():
    getattr(lib, name).argtypes = [{
        "p": ctypes.POINTER(ctypes.c_void_p), "h": ctypes.c_void_p, "s": ctypes.c_char_p,
        "z": ctypes.c_size_t, "i": ctypes.c_int, "K": KERNEL, "I": ctypes.POINTER(ctypes.c_int),
        "N": ctypes.POINTER(ctypes.c_int64),
        "P": ctypes.POINTER(ctypes.c_void_p)}[t] for t in types]


class Error(Exception):
    """What st_error_text says."""


def check(rc):
    if rc != 0:
        raise Error(lib.st_error_text().decode())


class Handle:
    """A handle, and how it is freed."""

    def __init__(self, free):
        self.value = ctypes.c_void_p()
        self._free = free

    def free(self):
        check(self._free(ctypes.byref(self.value)))

    def __del__(self):
        if self.value:
            self._free(ctypes.byref(self.value))


class Queue(Handle):
    def __init__(self, name=None, parent=None):
        super().__init__(lib.st_queue_free)
        if parent is None:
            check(lib.st_queue_new(ctypes.byref(self.value)))
        else:
            check(lib.st_queue_spawn(parent.value, ctypes.byref(self.value)))
        if name is not None:
            check(lib.st_queue_name(self.value, name.encode()))

    def sync(self):
        check(lib.st_queue_sync(self.value))

    def wait(self, event):
        check(lib.st_queue_wait(self.value, event.value))

    def spawn(self):
        return Queue(parent=self)


class Event(Handle):
    def __init__(self):
        super().__init__(lib.st_event_free)
        check(lib.st_event_new(ctypes.byref(self.value)))

    def record(self, queue):
        check(lib.st_event_record(self.value, queue.value))

    def sync(self):
        check(lib.st_event_sync(self.value))

    def happened(self):
        yes = ctypes.c_int()
        check(lib.st_event_query(self.value, ctypes.byref(yes)))
        return bool(yes.value)

    def ns_since(self, earlier):
        ns = ctypes.c_int64()
        check(lib.st_event_elapsed(earlier.value, self.value, ctypes.byref(ns)))
        return ns.value


class Buffer(Handle):
    def __init__(self, size, name=None):
        super().__init__(lib.st_buffer_free)
        self.size = size
        check(lib.st_buffer_new(size, ctypes.byref(self.value)))
        if name is not None:
            check(lib.st_buffer_name(self.value, name.encode()))

    def copy(self, queue, source):
        check(lib.st_copy(queue.value, self.value, source.value, min(self.size, source.size)))

    def write(self, queue, data):
        check(lib.st_write(queue.value, self.value, 0, data, len(data)))
        queue.sync()  # data is Python's

    def read(self, queue):
        room = ctypes.create_string_buffer(self.size)
        check(lib.st_read(queue.value, room, self.value, 0, self.size))
        queue.sync()
        return room.raw


class Kernel(Handle):
    """A function of Python: f(n, pointers) -> None or an int."""

    calls = []  # launches that wait may need one after its handle went: they live as long as the device

    def __init__(self, function):
        super().__init__(lib.st_kernel_free)
        self.calls.append(KERNEL(lambda n, args, _: function(n, args) or 0))
        check(lib.st_kernel_new(0, self.calls[-1], None, ctypes.byref(self.value)))


class Device:
    def __init__(self, threads=0):
        check(lib.st_init(threads))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.left = lib.st_finalize(1)
        Kernel.calls.clear()

    def launch(self, queue, kernel, n, *buffers):
        args = (ctypes.c_void_p * len(buffers))(*[b.value.value for b in buffers])
        check(lib.st_launch(queue.value, kernel.value, n, len(buffers), args))
