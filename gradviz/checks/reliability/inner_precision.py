"""Detection of the precision a function computes in, whatever the dtypes of its tensors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.cast import WIDER
from gradviz.checks.reliability.measurement import MeasuredFunction
from gradviz.checks.reliability.seeded_runs import callable_of
from gradviz.checks.subject import CheckSubject
from gradviz.checks.user_errors import Attempt
from gradviz.recorder.compat import DispatchMode
from gradviz.recorder.patching.signals import calls_user_code

_NAMES = {torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16"}


class DowncastRecorder(DispatchMode):
    """Mode that records the lower dtypes that tensors of full precision are cast to.

    Attributes:
        seen: These dtypes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[torch.dtype] = set()

    @calls_user_code
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor) and result.dtype in _NAMES:
            given = [each.dtype for each in args if isinstance(each, Tensor)]
            if torch.float64 in given:
                self.seen.add(result.dtype)
        return result


class _Uncast(DispatchMode):
    """Keep tensors of full precision from being cast to a lower one."""

    @calls_user_code
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = dict(kwargs or {})
        given = [each.dtype for each in args if isinstance(each, Tensor)]
        if torch.float64 in given and named.get("dtype") in _NAMES:
            named["dtype"] = torch.float64
        return func(*args, **named)


def without_casts(subject: CheckSubject) -> CheckSubject:
    """A subject whose forward keeps full precision where it would cast to a lower one."""
    call = callable_of(subject)

    @calls_user_code
    def run(*arguments: Any) -> Any:
        with _Uncast():
            return call(*arguments)

    return replace(subject, function=run)


def inner_type(bench: MeasuredFunction) -> torch.dtype | None:
    """The lower-precision real dtype that forward computes in; None for full precision."""
    mine = [each.dtype for each in (*bench.subject.tensors, *_outputs(bench))]
    low = [each.to_real() if each.is_complex else each for each in mine if each in WIDER]
    if low:
        # The coarsest dtype decides how precise the outputs are.
        return max(low, key=_unit)
    casts = DowncastRecorder()
    bench.evaluations.expect(1)
    with Attempt(), casts:
        bench.evaluator.evaluate()
    if casts.seen:
        return max(casts.seen, key=_unit)
    # Outputs that all fit into float32 were computed in it, unless they are so simple that they fit
    # into bfloat16 as well.
    rounded = all(torch.equal(each, each.float().double()) for each in _outputs(bench))
    trivial = all(torch.equal(each, each.bfloat16().double()) for each in _outputs(bench))
    return torch.float32 if rounded and not trivial else None


def unit(dtype: torch.dtype | None) -> float:
    """Relative rounding error of a dtype; that of float64 for None."""
    return _unit(dtype or torch.float64)


def type_name(dtype: torch.dtype) -> str:
    """Name of a dtype in sentences."""
    return str(dtype).removeprefix("torch.")


def _unit(dtype: torch.dtype) -> float:
    return float(torch.finfo(dtype).eps)


def _outputs(bench: MeasuredFunction) -> list[Tensor]:
    return [part.of(bench.outputs).detach() for part in bench.parts]
