"""Program of the fork server; see ``fork_server.py``."""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
import time
import types
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

# torch imports it with the first optimizer, and parts of it in the first backward pass from a given
# gradient.
import torch._dynamo
import torch._subclasses.schema_check_mode

from gradviz.gallery import scenes  # noqa: F401
from gradviz.gallery.registry import SCENES, offer_of
from gradviz.protocol.messages import RunRequest
from gradviz.worker import check, describe, devices, main, run  # noqa: F401
from gradviz.worker.program import entry, program_recording  # noqa: F401


def warm_up() -> None:
    """Record once: the first recording of a process takes three times as long as the next."""
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), torch.random.fork_rng([]):
        trace = str(Path(folder) / "run.gradviz")
        result = run.run(RunRequest(offer=offer_of(SCENES[0]), trace=trace, level="all"))
    assert not result.problem, result.problem


def serve(asked: socket.socket) -> bool:
    """Fork once; whether there was a request."""
    head, descriptors, _, _ = socket.recv_fds(asked, 4, 3)
    if not head:
        return False
    size, text = int.from_bytes(head, "big"), b""
    while len(text) < size:
        text += asked.recv(size - len(text))
    reading, writing = os.pipe()
    between = os.fork()
    if not between:
        os.close(reading)
        parent = os.getpid()
        pid = os.fork()
        if pid:
            os.write(writing, pid.to_bytes(4, "big"))
            os._exit(0)
        os.close(writing)
        asked.close()
        _become(json.loads(text), descriptors, parent)
    os.close(writing)
    for each in descriptors:
        os.close(each)
    with os.fdopen(reading, "rb") as pipe:
        number = pipe.read(4)
    # The child has a new parent once the process between is gone.
    os.waitpid(between, 0)
    asked.sendall(number)
    return True


def _become(request: dict[str, Any], descriptors: list[int], parent: int) -> NoReturn:
    os.setsid()
    for number, each in enumerate(descriptors):
        os.dup2(each, number)
        os.close(each)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    while os.getppid() == parent:
        time.sleep(0.0005)
    sys.argv = request["argv"]
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(request["code"], sys.argv[0], "exec"), vars(module))
    sys.exit()


if __name__ == "__main__":
    # Children may import from the tests.
    sys.path.append(str(Path(__file__).parents[1]))
    warm_up()
    gc.collect()
    gc.freeze()
    requests = socket.socket(fileno=int(sys.argv[1]))
    while serve(requests):
        pass
