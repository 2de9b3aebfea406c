"""Messages survive a round trip; invalid or misdirected ones are refused."""

from __future__ import annotations

import sys

import pytest

from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import BackwardStart, InputSpec, Offer, RunSubject
from gradviz.model.what_if import GradientTarget, InputTarget, SavedTarget, WhatIfChange
from gradviz.protocol.frames import FrameError, FrameReader
from gradviz.protocol.messages import (
    CheckRequest,
    ChildReply,
    ChildRequest,
    Described,
    DescribeRequest,
    Device,
    Finished,
    Heartbeat,
    Ready,
    RunRequest,
    WorkProgress,
    pack_message,
    read_reply,
    read_request,
)
from tests.programs import run_program

OFFER = Offer(
    subject=RunSubject(path="/a b/ü.py", name="Exp"),
    title='<img src=x>"];\x1b[31m',
    inputs=(
        InputSpec(name="x", shape=(2, 3), fill="values", values=(1.5, float("inf"))),
        InputSpec(name="c", kind="object", text="(1, 'a')"),
    ),
    start=BackwardStart(output=1, gradient="ones"),
)
CHANGES = (
    WhatIfChange(
        target=InputTarget(position=0, name="x"),
        dtype="float32",
        shape=(2,),
        way="elements",
        positions=(1,),
        bits="0000c07f",
    ),
    WhatIfChange(
        target=SavedTarget(saved=3, node=2, node_name="ExpBackward0", slot=0, name="result"),
        dtype="float64",
        shape=(),
        way="scale",
        factor=float("inf"),
        seal="ab",
    ),
    WhatIfChange(
        target=GradientTarget(pass_id=1, edge=4, source_name="A", target_name="B"),
        dtype="bool",
        shape=(0,),
        way="all",
    ),
)
REQUESTS: list[ChildRequest] = [
    DescribeRequest(path="x.py", memory_bytes=5),
    RunRequest(offer=OFFER, trace="/tmp/t.gradviz", budget_bytes=7, changes=CHANGES),
    CheckRequest(
        offer=OFFER,
        trace="t",
        settings=CheckSettings(eps=1e-3, atol=0.0, rtol=1.0, nondet_tol=2.0),
    ),
]
REPLIES: list[ChildReply] = [
    Ready(torch="2.13.0", devices=(Device(name="cuda:0", title="GPU", has_float64=True),)),
    Heartbeat(),
    Described(offers=(OFFER, OFFER), problem="Something."),
    WorkProgress(activity="check", done=3, total=0),
    Finished(activity="describe", problem="No."),
]


def sent(message: ChildRequest | ChildReply) -> dict[str, object]:
    ((data, blob),) = FrameReader().feed(pack_message(message))
    assert blob == b""
    return data


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: type(each).__name__)
def test_requests_come_back_equal(request_: ChildRequest) -> None:
    assert read_request(sent(request_)) == request_
    with pytest.raises(FrameError):
        read_reply(sent(request_))


@pytest.mark.parametrize("reply", REPLIES, ids=lambda each: type(each).__name__)
def test_replies_come_back_equal(reply: ChildReply) -> None:
    assert read_reply(sent(reply)) == reply
    with pytest.raises(FrameError):
        read_request(sent(reply))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"type": "Describe"},
        {"type": "Nothing", "path": "x"},
        {"type": ["Describe"], "path": "x"},
        {"type": "Describe", "path": 3, "memory_bytes": None},
        {"type": "Describe", "path": "x", "memory_bytes": None, "more": 1},
        {"type": "Describe", "path": "x", "memory_bytes": True},
    ],
)
def test_hostile_messages_are_refused(data: dict[str, object]) -> None:
    with pytest.raises(FrameError):
        read_request(data)


def test_the_protocol_needs_neither_torch_nor_qt_nor_pickle() -> None:
    program = (
        "import sys, gradviz.protocol.messages;"
        "print([m for m in ('torch','PySide6','pickle','subprocess') if m in sys.modules])"
    )
    run = run_program([sys.executable, "-c", program], check=True)
    assert run.stdout.strip() == "[]"
