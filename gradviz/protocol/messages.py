"""What the window asks of a child process, and what the child tells the window.

These are notices only: everything that is recorded stands in the trace file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from gradviz.model.changes import Change
from gradviz.model.check_settings import DEFAULTS, CheckSettings
from gradviz.model.codec import CodecError, decode, encode
from gradviz.model.console import Activity
from gradviz.model.inputs import Offer
from gradviz.model.inside import RecordingLevel
from gradviz.protocol.frames import FrameError, pack_frame

Work = Literal["describe", "run", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """Asks what a file of the user offers.

    Attributes:
        path: The file.
        memory_bytes: Filled in by the host from its limits.
    """

    path: str
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Asks to run and record something once.

    Attributes:
        offer: What to run, on which inputs, on which device.
        trace: Path of the trace file to write; there must be none.
        level: How deep the recording goes.
        changes: Values to change in it, each found by the ids of an earlier run of the same.
        budget_bytes: Most bytes of whole tensors in the trace.
        console_characters: Most characters of prints in the trace.
        memory_bytes: Filled in by the host from its limits.
    """

    offer: Offer
    trace: str
    level: RecordingLevel = "nodes"
    changes: tuple[Change, ...] = ()
    budget_bytes: int = 256 << 20
    console_characters: int = 1_000_000
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Asks to compare numerical with analytical Jacobians.

    Attributes:
        offer: What to check, on which inputs.
        trace: Path of the trace file that gets the report: appended to if it is there.
        settings: Step, tolerances and what is looked at.
        order: 1 for the Jacobians of the function, 2 for those of its backward.
        console_characters: Most characters of prints in the trace.
        memory_bytes: Filled in by the host from its limits.
    """

    offer: Offer
    trace: str
    settings: CheckSettings = DEFAULTS
    order: int = 1
    console_characters: int = 100_000
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A place where inputs can be made.

    Attributes:
        name: As torch takes it, like ``cpu`` or ``cuda:0``.
        title: For people, like ``cuda:0 (NVIDIA H200)``.
        has_float64: Whether it can hold float64.
    """

    name: str
    title: str
    has_float64: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The child has imported torch and waits for a request.

    Attributes:
        torch: Its version; empty where it cannot be imported.
        devices: The CPU first.
        problem: One sentence where torch cannot be imported, else empty.
    """

    torch: str
    devices: tuple[Device, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """Python still runs in the child."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The answer to `Describe`.

    Attributes:
        offers: What can be run, in the order of the file's examples.
        problem: One sentence on what is not offered and why; empty if there is nothing to say.
    """

    offers: tuple[Offer, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the work is.

    Attributes:
        activity: What is going on.
        done: Steps recorded, or evaluations done.
        total: How many there will be; 0 if unknown.
        kept: How often unfinished matrices of a check were left in its trace.
    """

    activity: Activity
    done: int
    total: int
    kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The last message: the request is done, the trace is written and closed.

    Attributes:
        activity: What was asked for.
        problem: One sentence on what failed; empty if nothing did.
    """

    activity: Work
    problem: str = ""


Request = Describe | Run | Check
Reply = Ready | Heartbeat | Described | Progress | Finished


def pack_message(message: Request | Reply) -> bytes:
    """The message as a frame.

    Raises:
        FrameError: If it is larger than a frame may be.
    """
    return pack_frame({"type": type(message).__name__, **encode(message)})


def read_request(data: dict[str, Any]) -> Request:
    """The request in a frame's JSON.

    Raises:
        FrameError: If it holds none.
    """
    return cast(Request, _read(Request, data))


def read_reply(data: dict[str, Any]) -> Reply:
    """The reply in a frame's JSON.

    Raises:
        FrameError: If it holds none.
    """
    return cast(Reply, _read(Reply, data))


def _read(kind: Any, data: dict[str, Any]) -> Any:
    try:
        return decode(kind, data)
    except CodecError as error:
        raise FrameError(f"a frame without a known message: {error}"[:200]) from None
