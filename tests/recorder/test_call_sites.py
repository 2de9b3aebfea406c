"""What is read once of a call and of its function is what would be read at each call."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.recorder import torch_functions
from gradviz.recorder.call_site_names import CallSite
from gradviz.recorder.torch_call import CallSiteFinder, TorchCall
from tests.recorder.recorded_run import RecordedRun, record_run

HEADER = """
import functools
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

class Own(torch.Tensor):
    pass

def apply(g, *given):
    return g(*given)

def run():
    t, u = torch.ones(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
    p, s = torch.nn.Parameter(torch.ones(2)), torch.ones(2).requires_grad_().as_subclass(Own)
    k, n, d = 2.0, 3, torch.ones(2)
    parts, named = [t, u], {"other": d}
"""

LINES = [
    *("y = a * b", "y = b + a", "y = a - b", "y = b / a", "y = a < b", "y = -a", "y = a @ b"),
    *("y = torch.add(a, b)", "y = torch.add(a, other=b)", "y = torch.add(a, **named)"),
    *("y = a.mul(b)", "y = f(a, b)", "y = apply(f, a, b)", "y = (lambda v: f(v, v))(a)"),
    *("y = h(a)", "y = torch.clamp(a, **bounds)", "y = apply(torch.clamp, a, *bounds.values())"),
    *(
        "y = torch.stack([a, t])",
        "y = torch.stack(parts)",
        "y = torch.cat([each for each in parts])",
    ),
    *("y, z = t.unbind()", "y, *z = torch.chunk(u, 2)", "y = functools.reduce(torch.add, parts)"),
    *("y = a[len(parts) % 2]", "y = torch.nn.functional.softplus(a)", "y = (a * b).mul_(2)"),
    *("y = sum(parts)", "y = [each * b for each in parts]", "d *= 2", "named = dict(other=b)"),
    *("parts = [*parts, a]", "a = a * 1", "y = a * b", "f = torch.sub", "y = f(a, u)"),
    "y = checkpoint(f, t, u, use_reentrant=False); y.sum().backward()",
]
CHOICES = {
    "a, b": ["(t, u)", "(t, k)", "(k, t)", "(n, s)", "(s, n)", "(p, d)", "(d, p)", "(d, k)"],
    "f": ["torch.add", "torch.dot", "torch.outer", "torch.Tensor.add", "lambda v, w: v * w"],
    "h": ["torch.relu", "F.relu", "torch.nn.ReLU()", "torch.sigmoid", "torch.nn.Sigmoid()"],
    "bounds": ["{'min': 0.5}", "{'max': 0.5}", "{'min': 0.5, 'max': 2}"],
}
ROUNDS = st.tuples(*map(st.sampled_from, CHOICES.values()))

COUNTED = ("started_ns", "duration_ns", "sequence_nr")


class Forgetful(dict[Any, Any]):
    def __setitem__(self, key: Any, value: Any) -> None:
        pass


def read_again(
    finder: CallSiteFinder, call: TorchCall, frame: FrameType, *, is_direct: bool
) -> CallSite:
    return finder._read(call, frame, is_direct=is_direct)  # noqa: SLF001


def facts(recording: RecordedRun) -> list[Any]:
    """Everything that is recorded but the times and the numbers that torch counts on."""
    trace = recording.trace
    records = [
        replace(each, **{name: 0 for name in each.__struct_fields__ if name in COUNTED})
        for each in (*trace.steps, *trace.nodes)
    ]
    return [*records, *trace.edges, *trace.saved, *trace.writes, *trace.findings]


SWAPPED = ("(t, k)", "torch.add", "F.relu", "{'min': 0.5}")


@given(st.lists(ROUNDS, min_size=2, max_size=4))
@example([SWAPPED, ("(k, t)", *SWAPPED[1:])])
@example([SWAPPED, ("(t, k)", "torch.dot", "torch.nn.ReLU()", "{'max': 0.5}")])
@settings(max_examples=20)
def test_a_line_that_runs_again_is_recorded_as_when_it_is_read_again(
    rounds: list[tuple[str, ...]],
) -> None:
    loop = "".join(f"({', '.join(each)})," for each in rounds)
    body = "".join(
        f"        try:\n            {line}\n        except Exception: pass\n" for line in LINES
    )
    text = f"{HEADER}    for (a, b), f, h, bounds in [{loop}]:\n{body}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(text)
        names: dict[str, Any] = {}
        exec(compile(text, path, "exec"), names)
        once = record_run(Path(folder), names["run"])
        with ExitStack() as stack:
            enter = stack.enter_context
            enter(patch.object(torch_functions, "_known", Forgetful()))
            enter(patch.object(CallSiteFinder, "_find_known", read_again))
            each_time = record_run(Path(enter(tempfile.TemporaryDirectory())), names["run"])
    assert facts(once) == facts(each_time)
