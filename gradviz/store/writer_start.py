"""Start of the process that writes a trace."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FunctionType

import msgspec
import numpy

from gradviz.catalogue.language import current_language
from gradviz.store.written_files import reraise_asynchronous

_PROGRAM = (
    "import sys; sys.path += sys.argv[2:];"
    "from gradviz.store.writer_program import main; main(sys.argv[1])"
)

# Here, as to resolve a path drops what another thread raises in it.
_ROOTS = (
    str(Path(__file__).resolve().parents[2]),
    *{str(Path(each.__path__[0]).parent) for each in (msgspec, numpy)},
)


def should_start() -> bool:
    """Whether the process can be started here, and saves time."""
    return (
        sys.platform == "linux"
        and bool(sys.executable)
        # The end of the shell, which starts it, would call a handler of the run.
        and _ignores_ends_of_children()
        # The first process of a container would become its parent.
        and os.getpid() != 1
        # With one core, both processes together take longer than one.
        and len(os.sched_getaffinity(0)) > 1
    )


def _ignores_ends_of_children() -> bool:
    handler = signal.getsignal(signal.SIGCHLD)
    if handler is signal.SIG_DFL or handler is signal.SIG_IGN:
        return True
    if type(handler) is not FunctionType:
        return False
    module, cells = handler.__module__, handler.__closure__ or ()
    # That of a DataLoader looks at its own workers only, and calls the one before it.
    is_of_torch = type(module) is str and module.startswith("torch.utils.data.")
    return is_of_torch and all(cell.cell_contents is None for cell in cells)


def start_program(channel: int, lock: int) -> None:
    """Start the program in a session of its own, as a child of a shell that ends at once.

    Args:
        channel: The end of the channel that it gets.
        lock: The descriptor of a lock that it holds until it ends.

    Raises:
        OSError: If that is not possible.
    """
    inherited = [int(name) for name in os.listdir("/dev/fd")]
    free = max(channel, lock, 3) + 1
    actions = [
        *((os.POSIX_SPAWN_CLOSE, each) for each in inherited if each > 2 and _is_inheritable(each)),
        # Each of both may have any number, if the run has closed the standard streams.
        (os.POSIX_SPAWN_DUP2, lock, free),
        (os.POSIX_SPAWN_DUP2, channel, 1),
        (os.POSIX_SPAWN_DUP2, free, 3),
        (os.POSIX_SPAWN_CLOSE, free),
        *((os.POSIX_SPAWN_OPEN, each, os.devnull, os.O_RDWR, 0) for each in (0, 2)),
    ]
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, current_language(), *_ROOTS]
    shell = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", '"$@" &', "sh", *command],
        os.environ,
        file_actions=actions,
        setsid=True,
        setsigmask=(),
    )
    try:
        os.waitpid(shell, 0)
    except ChildProcessError:
        # The system or another thread has waited for it.
        return


def _is_inheritable(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError as error:
        reraise_asynchronous(error)
        return False
