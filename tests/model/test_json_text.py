"""The fast way to JSON text says what the plain way says."""

import json

from gradviz.model.codec import encode
from gradviz.model.json_text import json_text
from gradviz.model.step import Step
from tests.builders import linear_trace
from tests.model.test_codec import WORST


def test_text_is_what_the_codec_makes() -> None:
    trace = linear_trace()
    groups = (trace.nodes, trace.edges, trace.saved, trace.calls, trace.tensors, trace.console)
    for record in (
        trace.origin,
        trace.outcome,
        WORST,
        *(each for group in groups for each in group),
    ):
        assert json.loads(json_text(record)) == encode(record)
    for step in trace.steps:
        assert json.loads(json_text(step, Step)) == encode(step, Step)


def test_odd_strings_survive() -> None:
    (console, *_) = linear_trace().console
    for text in ("%s %", "\ud800", '"\\\x00', "ε\U0001f600"):
        changed = type(console)(id=1, step=None, stream="stdout", activity="run", text=text)
        assert json.loads(json_text(changed))["text"] == text
        assert json_text(changed).isascii()
