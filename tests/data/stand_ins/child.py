"""A fake worker that speaks the protocol and behaves as its argument says."""

import os
import signal
import subprocess
import sys
import threading
import time

from gradviz.protocol.frames import FrameReader
from gradviz.protocol.messages import (
    Described,
    Device,
    Finished,
    Heartbeat,
    Ready,
    WorkProgress,
    pack_message,
    read_request,
)

OUT = os.dup(1)
os.dup2(2, 1)


def send(message):
    os.write(OUT, pack_message(message))


def request():
    reader = FrameReader()
    while piece := os.read(0, 1 << 16):
        for data, _ in reader.feed(piece):
            return read_request(data)
    sys.exit(3)


def beat():
    while True:
        time.sleep(0.1)
        send(Heartbeat())


def finish(problem=""):
    send(Finished(activity="run", problem=problem))


def sleeps_in(*command):
    return subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(300)"],
        stdin=subprocess.DEVNULL,
        **dict(command),
    ).pid


mode = sys.argv[1]
if mode == "no-start":
    raise ModuleNotFoundError("No module named 'torch'")
if mode == "slow-start":
    time.sleep(60)
send(Ready(torch="0", devices=(Device(name="cpu", title="cpu", has_float64=True),)))
if mode == "idle-death":
    os._exit(1)
asked = request()
if mode == "echo":
    send(WorkProgress(activity="run", done=1, total=2))
    send(Described(offers=(), problem=f"{asked.memory_bytes} {asked.path}"))
    finish()
elif mode == "fail":
    finish("ValueError in forward (x.py, line 3): no.")
elif mode == "lingers":
    finish()
    time.sleep(60)
elif mode == "exit":
    os._exit(7)
elif mode == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
elif mode == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
elif mode == "garbage":
    os.write(OUT, b"hello, window, here is no frame at all")
    time.sleep(60)
elif mode == "busy":
    threading.Thread(target=beat, daemon=True).start()
    time.sleep(60)
elif mode == "silent":
    time.sleep(60)
elif mode == "flood":
    block = b"spam and eggs\n" * 5000
    for _ in range(4000):
        os.write(2, block)
    os.write(2, b"the last line\n")
    finish()
elif mode == "memory":
    threading.Thread(target=beat, daemon=True).start()
    kept = []
    while True:
        kept.append(bytearray(os.urandom(1 << 20)) * 8)
        time.sleep(0.005)
elif mode == "family":
    # One in our group, one in a group of its own, one whose parent is gone as well.
    own = {"start_new_session": True}
    sleeps_in()
    sleeps_in(*own.items())
    code = (
        "import subprocess, sys\n"
        "sleeper = [sys.executable, '-c', 'import time; time.sleep(300)']\n"
        "subprocess.Popen(sleeper, start_new_session=True)"
    )
    subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, check=True)
    finish()
