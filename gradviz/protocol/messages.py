"""Requests from the window to a child process, and the child's replies.

They carry requests and progress only: everything that is recorded goes to the trace file.
"""

from __future__ import annotations

from typing import Any, Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from gradviz.model.check_settings import DEFAULTS, CheckSettings
from gradviz.model.codec import CodecError, decode, encode
from gradviz.model.console import ConsoleActivity
from gradviz.model.inputs import DEFAULT_SEED, Offer
from gradviz.model.inside import RecordingLevel
from gradviz.model.settings.recording_scope import ALL_PASSES, PassRange
from gradviz.model.what_if import WhatIfChange
from gradviz.protocol.frames import FrameError, pack_frame

WorkKind = Literal["describe", "run", "check"]


class DescribeRequest(Struct, frozen=True, kw_only=True, tag=True):
    """Request for the list of what can be run in a user's file.

    Attributes:
        path: Path of the file.
        made_for: Names without declared inputs; only they are offered then, with inputs that were
            found by calling them. If empty, all are offered, and what the file declares no inputs
            for has inputs guessed from its signature.
        makes_inputs: Whether a second reply follows if the file declares no inputs for its first
            offer: this offer with made inputs.
        runs_work: Whether a file without examples also runs if its text shows that this does more
            than define something. Otherwise, what its text defines is offered.
        seed: Seed with which the file is loaded, and so of the random inputs that it creates.
        then: What the same child does next with the first example of a name, or of any name if that
            is empty; of its offer, only the name and what `Offer.with_setup_of` takes count.
        memory_bytes: Memory limit, filled in by the host.
    """

    path: str
    made_for: tuple[str, ...] = ()
    makes_inputs: bool = False
    runs_work: bool = False
    seed: int = DEFAULT_SEED
    then: RunRequest | CheckRequest | None = None
    memory_bytes: int | None = None

    def next_work(self, described: Described) -> RunRequest | CheckRequest | None:
        """What follows a reply, with the offer that it is done with; None if nothing."""
        if self.then is None:
            return None
        asked = self.then.offer
        for offer in described.offers:
            if offer.is_declared and asked.subject.name in ("", offer.subject.name):
                return replace(self.then, offer=offer.with_setup_of(asked))
        return None


class RunRequest(Struct, frozen=True, kw_only=True, tag=True):
    """Request for one recorded run.

    Attributes:
        offer: What to run, with inputs and device.
        trace: Path of the trace file to write; it must not exist.
        level: Level of detail of the recording.
        passes: Which backward passes of the run to record.
        like: The left run of a comparison, whose inputs this one takes as far as they fit, if its
            file is described first; None for its own inputs.
        dtype: What its floating inputs are converted to then; empty for their own dtype.
        changes: What If changes to make, with the ids of an earlier run of the same code.
        check: Settings of a check with the same changes, whose report is added to the trace if it
            can be; None for no check.
        stays: Whether the child waits for another run of the same code after this one, if it can;
            it then replies with `Ran`, and each run is made in a fork of its own.
        budget_bytes: Limit for bytes of complete tensors in the trace.
        console_characters: Limit for characters of printed text, filled in by the host.
        memory_bytes: Memory limit, filled in by the host.
    """

    offer: Offer
    trace: str
    level: RecordingLevel = "nodes"
    passes: PassRange = ALL_PASSES
    like: Offer | None = None
    dtype: str = ""
    changes: tuple[WhatIfChange, ...] = ()
    check: CheckSettings | None = None
    stays: bool = False
    budget_bytes: int = 256 << 20
    console_characters: int = 1_000_000
    memory_bytes: int | None = None


class CheckRequest(Struct, frozen=True, kw_only=True, tag=True):
    """Request for a comparison of numerical and analytical Jacobians.

    Attributes:
        offer: What to check, with inputs.
        trace: Path of the trace file for the report; an existing one is appended to.
        settings: Step size, tolerances and scope of the check.
        order: 1 for the Jacobians of the function, 2 for those of its backward.
        changes: Changes of inputs with which it is checked; one of anything else makes no check.
        console_characters: Limit for characters of printed text in the trace.
        memory_bytes: Memory limit, filled in by the host.
    """

    offer: Offer
    trace: str
    settings: CheckSettings = DEFAULTS
    order: int = 1
    changes: tuple[WhatIfChange, ...] = ()
    console_characters: int = 100_000
    memory_bytes: int | None = None


class Device(Struct, frozen=True, kw_only=True):
    """A device on which inputs can be created.

    Attributes:
        name: Torch's name, such as ``cpu`` or ``cuda:0``.
        title: Title for people, such as ``cuda:0 (NVIDIA H200)``.
        has_float64: Whether it supports float64.
    """

    name: str
    title: str
    has_float64: bool


class Ready(Struct, frozen=True, kw_only=True, tag=True):
    """Reply that the child has imported torch and waits for a request.

    Attributes:
        torch: Version of torch; empty if it cannot be imported.
        devices: Available devices, the CPU first.
        problem: One sentence if torch cannot be imported; otherwise empty.
    """

    torch: str
    devices: tuple[Device, ...] = ()
    problem: str = ""


class Heartbeat(Struct, frozen=True, kw_only=True, tag=True):
    """Sign of life: Python is still running in the child."""


class Described(Struct, frozen=True, kw_only=True, tag=True):
    """Reply to `DescribeRequest`; after a run, the inputs that the file has created for it.

    Attributes:
        offers: What can be run: the file's examples, then what it declares no inputs for.
        problem: One sentence on what is not offered and why; empty if everything is.
        is_broken: Whether the problem is an error in the file, not only that it offers nothing.
        line: Line of the file that raised while it was loaded; 0 if it was loaded.
    """

    offers: tuple[Offer, ...]
    problem: str = ""
    is_broken: bool = False
    line: int = 0


class WorkProgress(Struct, frozen=True, kw_only=True, tag=True):
    """Progress of a run or check.

    Attributes:
        activity: What is in progress.
        done: Number of backward passes that have begun, or evaluations completed.
        total: Expected number; 0 if unknown, as for a diagnosis.
        kept: How many times unfinished matrices of a check were stored in its trace.
    """

    activity: ConsoleActivity
    done: int
    total: int
    kept: int = 0


class Ran(Struct, frozen=True, kw_only=True, tag=True):
    """Reply that a run is over, and that the child waits for another one.

    Attributes:
        trace: Path of its trace, which is written and closed.
        problem: One sentence on what failed; empty if nothing did.
        line: Line of the user's file at which it failed; 0 if unknown.
    """

    trace: str
    problem: str = ""
    line: int = 0


class Finished(Struct, frozen=True, kw_only=True, tag=True):
    """Last message: the request is complete, and the trace is written and closed.

    Attributes:
        activity: Kind of request.
        problem: One sentence on what failed; empty if nothing did.
        line: Line of the user's file at which it failed; 0 if unknown.
    """

    activity: WorkKind
    problem: str = ""
    line: int = 0


ChildRequest = DescribeRequest | RunRequest | CheckRequest
JobMessage = Described | WorkProgress | Ran
ChildReply = Ready | Heartbeat | JobMessage | Finished


def pack_message(message: ChildRequest | ChildReply) -> bytes:
    """Encode a message as a frame.

    Raises:
        FrameError: If it exceeds the size limit of a frame.
    """
    return pack_frame(encode(message))


def read_request(data: dict[str, Any]) -> ChildRequest:
    """Decode the request in a frame's JSON.

    Raises:
        FrameError: If it is not a request.
    """
    return cast(ChildRequest, _read(ChildRequest, data))


def read_reply(data: dict[str, Any]) -> ChildReply:
    """Decode the reply in a frame's JSON.

    Raises:
        FrameError: If it is not a reply.
    """
    return cast(ChildReply, _read(ChildReply, data))


def _read(kind: Any, data: dict[str, Any]) -> Any:
    try:
        return decode(kind, data)
    except CodecError as error:
        raise FrameError(f"a frame has no known message: {error}"[:200]) from None
