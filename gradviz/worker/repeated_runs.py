"""Runs of the same code with other values: each in a fork of a process that runs no user code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial

# By name, because user code may replace the functions in the module.
from os import write
from pathlib import Path
from typing import Any, cast

from msgspec import structs

from gradviz.gallery.registry import offer_of, scene
from gradviz.protocol.frames import FrameReader
from gradviz.protocol.messages import (
    ChildReply,
    ChildRequest,
    Finished,
    Ran,
    Ready,
    RunRequest,
    pack_message,
    read_reply,
    read_request,
)
from gradviz.worker import guard

SendReply = Callable[[ChildReply], None]

_PIECE_BYTES = 1 << 16


def can_repeat(ready: Ready) -> bool:
    """Whether forks of this process can run code."""
    # A fork cannot use the accelerator that its parent has looked at.
    return sys.platform == "linux" and not ready.problem and len(ready.devices) == 1


def continue_in_forks(
    request: RunRequest, receive: Callable[[], ChildRequest], send: SendReply
) -> tuple[ChildRequest, SendReply]:
    """Go on in a fork of this process for each request, one after the other.

    This process stays behind, and has neither user code nor a backward pass in it, so each run
    begins as in a new process. It ends as a fork does that ends without a last message.

    Args:
        request: The first request.
        receive: Waits for the next one.
        send: Sends a reply to the host.

    Returns:
        In each fork, its request, and what sends its replies.
    """
    current: RunRequest | None = request
    while True:
        # Of the request, and of the replies.
        (asked, asks), (told, tells) = os.pipe(), os.pipe()
        worker = os.fork()
        if not worker:
            guard.die_with_parent()
            os.close(asks)
            os.close(told)
            if current is None:
                _warm_up(request)
                current = cast(RunRequest, read_request(next(_frames(asked))))
            os.close(asked)
            return current, partial(_write, tells)
        os.close(asked)
        os.close(tells)
        if current is None:
            # It has warmed up while nobody waited for it.
            current = cast(RunRequest, receive())
            _write(asks, current)
        os.close(asks)
        replies = map(read_reply, _frames(told))
        finished = next((each for each in replies if isinstance(each, Finished)), None)
        os.close(told)
        code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
        if finished is None:
            guard.end_like(code)
        send(Ran(trace=current.trace, problem=finished.problem, line=finished.line))
        current = None


def _warm_up(request: RunRequest) -> None:
    """Record and check a small run of gradviz's own, since the first one in a process is slow."""
    from gradviz.worker.check import check_run
    from gradviz.worker.run import run

    path = Path(f"{request.trace}.{os.getpid()}")
    offer = offer_of(scene("mul-constant"))
    small = structs.replace(request, offer=offer, changes=(), trace=str(path))
    run(small)
    check_run(small, lambda _: None)
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()


def _write(descriptor: int, message: ChildRequest | ChildReply) -> None:
    view = memoryview(pack_message(message))
    while view:
        view = view[write(descriptor, view) :]


def _frames(descriptor: int) -> Iterator[dict[str, Any]]:
    reader = FrameReader()
    # Up to the message that is awaited: what user code has started may keep a pipe open.
    while piece := os.read(descriptor, _PIECE_BYTES):
        for data, _ in reader.feed(piece):
            yield data
