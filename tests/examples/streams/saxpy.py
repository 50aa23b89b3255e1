# SPDX-License-Identifier: BSD-3-Clause
"""saxpy.py - y = y + 2 x on the device, from Python: the kernel is a function of Python."""
import array
import ctypes

import streams


def saxpy(n, args):
    x = ctypes.cast(args[0], ctypes.POINTER(ctypes.c_float))
    y = ctypes.cast(args[1], ctypes.POINTER(ctypes.c_float))
    for i in range(n):
        y[i] += 2 * x[i]


with streams.Device() as device:
    first, kernel, event, last = streams.Queue("python"), streams.Kernel(saxpy), streams.Event(), streams.Event()
    second = first.spawn()
    a, b, c = streams.Buffer(400), streams.Buffer(400), streams.Buffer(400, "result")
    a.write(first, array.array("f", [3] * 100).tobytes())
    b.write(first, array.array("f", [1] * 100).tobytes())
    event.record(first)
    second.wait(event)
    device.launch(second, kernel, 100, a, b)
    del kernel  # the launch holds it
    c.copy(second, b)
    last.record(second)
    y = array.array("f", c.read(second))
    print("y =", sum(y) / 100)
    if not last.happened() or last.ns_since(event) < 0:
        raise SystemExit("an event after the work")

    old = ctypes.c_void_p(first.value.value)
    first.free()
    if streams.lib.st_queue_sync(old) == 0:
        raise SystemExit("an old handle was taken")
    print(streams.lib.st_error_text().decode())
    try:
        device.launch(second, a, 1)
    except streams.Error as error:
        print(error)
    for handle in second, event, last, a, b, c:
        handle.free()
print(device.left, "left")
