"""Investigation of NaN and Inf in gradients: which operation of backward makes the first one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.checks.diagnosis.support.trial_run import counted, trial_run
from gradviz.checks.reference.calling_line import CallingLine, find_calling_line
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.compat import DispatchMode
from gradviz.recorder.patching.signals import calls_user_code


@dataclass(frozen=True, slots=True, kw_only=True)
class NonfiniteOrigin:
    """The operation that made the first NaN or Inf.

    Attributes:
        operation: Its name in torch.
        value: What it returned, ``NaN`` or ``Inf``.
        line: The user's line that called it; None if torch's own backward did.
    """

    operation: str
    value: str
    line: CallingLine | None


class NonfiniteOriginMode(DispatchMode):
    """Mode that notes the first operation with a NaN or Inf result from finite values.

    Attributes:
        origin: That operation; None if there was none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.origin: NonfiniteOrigin | None = None

    @calls_user_code
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and look at its result."""
        named = kwargs or {}
        # Before the call, which may write to its arguments.
        is_first = self.origin is None and not any(map(_nonfinite, tree_leaves((args, named))))
        result = func(*args, **named)
        if is_first:
            made = next(filter(None, map(_nonfinite, tree_leaves(result))), "")
            if made:
                name = func.overloadpacket.__name__.rstrip("_")
                self.origin = NonfiniteOrigin(operation=name, value=made, line=find_calling_line())
        return result


def _nonfinite(value: object) -> str:
    """Name of the first value that is not finite; empty if there is none."""
    if not isinstance(value, Tensor) or not (value.is_floating_point() or value.is_complex()):
        return ""
    values = value.detach()
    if bool(values.isnan().any()):
        return "NaN"
    return "Inf" if bool(values.isinf().any()) else ""


@yields("nonfinite_gradient")
def find_nonfinite_gradients(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose each pair with NaN or Inf in the analytical Jacobian only."""
    if case.subject.order != 1:
        return
    for pair in case.pairs:
        wrong = ~pair.analytical.isfinite() & pair.numerical.to(pair.analytical.device).isfinite()
        if bool(wrong.any()) and not case.is_explained(pair):
            yield _diagnosis(case, pair, wrong)


def _diagnosis(case: CheckContext, pair: JacobianPair, wrong: Tensor) -> Diagnosis:
    row, column = (int(each) for each in wrong.nonzero()[0])
    index = [int(each) for each in torch.unravel_index(torch.tensor(row), pair.input_shape)]
    values: dict[str, object] = {
        "input": pair.input_name,
        "output": pair.output_name,
        "value": _nonfinite(pair.analytical[row, column]),
        "place": f"{pair.input_name}{index}" if index else pair.input_name,
    }
    origin = None if pair.block.part else _origin(case, pair, column)
    key = "nonfinite_gradient.message"
    if origin is not None:
        key = "nonfinite_gradient.op" if origin.line is None else "nonfinite_gradient.op.at"
        values |= {"operation": origin.operation, "first": origin.value, "line": origin.line}
    nonfinite, count = int(wrong.count_nonzero()), wrong.numel()
    evidence = say("nonfinite_gradient.evidence", nonfinite=nonfinite, count=count)
    return pair.diagnosis("nonfinite_gradient", say(key, **values), evidence=(evidence,))


def _origin(case: CheckContext, pair: JacobianPair, column: int) -> NonfiniteOrigin | None:
    """Run backward from one element of the output, and watch its operations."""
    mode = NonfiniteOriginMode()
    with trial_run(case):
        output = case.evaluator.evaluate()[pair.block.output]
        gradient = torch.zeros(output.shape, dtype=output.dtype, device=output.device)
        gradient.view(-1)[column] = 1
        target = case.subject.arguments[pair.block.input]
        with mode:
            counted(case, lambda: torch.autograd.grad(output, [target], gradient))
    return mode.origin
