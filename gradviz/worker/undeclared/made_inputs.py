"""Inputs for a callable without declared ones, found by calling it and running backward."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from msgspec.structs import replace

from gradviz.catalogue.messages import say
from gradviz.model.inputs import DEFAULT_SEED, BackwardStart, InputSpec
from gradviz.protocol.messages import Device
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.worker.inputs import make_input, seed_all
from gradviz.worker.run_script import backward_line
from gradviz.worker.signature import CallTarget, arrange_arguments
from gradviz.worker.undeclared.signature_inputs import input_options
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error

_Shapes = tuple[tuple[int, ...], ...]

_FAMILIES: tuple[_Shapes, ...] = (
    ((2, 3),),
    ((2, 3), (3, 4), (4,)),  # x @ w + b
    ((2, 3), (4, 3), (4,)),  # x @ w.t() + b
    ((2, 3), (3,)),  # layer norm
    ((3,),),
    ((),),
    ((2, 3), (2,), (2,)),
    ((2, 3), (4, 3), (2, 4), (4,)),  # linear with an incoming term
    ((2, 4, 3),),
    ((2, 4, 3), (2, 3, 5), (5,)),  # torch.bmm
    ((2, 4, 3), (2, 5, 3), (2, 5, 6)),  # attention
    ((2, 4, 3), (5, 3), (5,)),
    ((2, 4, 3), (3,)),
    ((3, 3),),
    ((4, 3), (5,), (5,)),  # rows by their indices
    ((5,), (4, 3)),  # embedding
    ((2, 3, 5, 5), (4, 3, 3, 3), (4,)),  # 2-d convolution
    ((2, 3, 7), (4, 3, 3), (4,)),  # 1-d convolution
    ((2, 4, 6, 6), (4,)),  # batch norm
    ((2, 4, 6, 6),),
    ((6, 6), (3, 3)),
)
"""Shapes that fit together, in the order in which they are tried; the last one is repeated."""
_SINGLE = ((2, 3), (3,), (), (2,), (4,), (3, 4), (4, 3), (3, 3), (2, 4, 3), (1,), (2, 1))
"""Shapes whose combinations are tried for up to three tensors."""

_TIME_S = 8.0
"""After this time, looked at between two trials, the best inputs so far are taken."""
_PATIENCE = 400
"""Trials after the first one that ran, in the hope of a better one."""
_MOST_KINDS = 300
_CPU = Device(name="cpu", title="CPU", has_float64=True)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class _Shortcomings:
    """What is not as it should be after a trial; fewer is better.

    Attributes:
        failed_backward: Whether backward raised, or could not start.
        missing: Number of inputs that require a gradient and received none.
        not_finite: Whether the output is empty, or contains NaN or Inf.
    """

    failed_backward: bool
    missing: int
    not_finite: bool


def make_inputs(target: CallTarget) -> tuple[InputSpec, ...]:
    """Try kinds of values, and small shapes, until the call and its backward run.

    Args:
        target: What is called, often.

    Returns:
        The first inputs with which both run, each differentiable input receives a gradient, and
        the output is finite; or else those that come closest and with which at least forward runs.

    Raises:
        WorkError: If the callable failed with all inputs that were tried.
    """
    until = time.monotonic() + _TIME_S
    best: tuple[_Shortcomings, tuple[InputSpec, ...]] | None = None
    first_error: BaseException | None = None
    patience = _PATIENCE
    with _quiet():
        for inputs in _candidates(input_options(target)):
            found, error = _try(target, inputs)
            if found is None:
                first_error = first_error or error
            elif best is None or found < best[0]:
                best = found, inputs
            patience -= best is not None
            settled = best is not None and best[0] == _Shortcomings(
                failed_backward=False, missing=0, not_finite=False
            )
            if settled or patience < 0 or time.monotonic() > until:
                break
    if best is not None:
        return best[1]
    reason = "" if first_error is None else describe_error(first_error, target.path)
    raise WorkError(say("made.none", name=target.name, reason=reason))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Discard what the trials print and warn about: thousands of them would say the same."""
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def _candidates(options: Sequence[Sequence[InputSpec]]) -> Iterator[tuple[InputSpec, ...]]:
    """Inputs to try: likely kinds first; for each, all shapes, and positive numbers too."""
    ranks = itertools.islice(
        itertools.product(*(range(len(each)) for each in options)), 100 * _MOST_KINDS
    )
    for chosen in sorted(ranks, key=sum)[:_MOST_KINDS]:
        kinds = tuple(each[at] for each, at in zip(options, chosen, strict=True))
        places = [at for at, spec in enumerate(kinds) if spec.kind == "tensor"]
        for number, shapes in enumerate(_shapes(len(places))):
            inputs = list(kinds)
            for at, shape in zip(places, shapes, strict=True):
                inputs[at] = replace(inputs[at], shape=shape)
            yield tuple(inputs)
            # Logarithms and roots take no negative numbers, whatever the shape.
            if number < len(_FAMILIES):
                yield tuple(
                    replace(spec, fill="rand") if spec.fill == "randn" else spec for spec in inputs
                )


def _shapes(count: int) -> Iterator[_Shapes]:
    tried: set[_Shapes] = set()
    families = ((*each[:count], *(each[-1:] * (count - len(each)))) for each in _FAMILIES)
    others = itertools.product(_SINGLE, repeat=count) if count <= 3 else iter(())
    for shapes in itertools.chain(families, others):
        if shapes not in tried:
            tried.add(shapes)
            yield shapes


@calls_user_code
def _try(
    target: CallTarget, inputs: Sequence[InputSpec]
) -> tuple[_Shortcomings | None, BaseException | None]:
    """What is not as it should be; or None and the error if the call itself fails."""
    seed_all(DEFAULT_SEED)
    values = [make_input(spec, _CPU).value for spec in inputs]
    positional, keywords = arrange_arguments(target, [spec.name for spec in inputs], values)
    with CaughtError() as caught:
        returned = target.call(*positional, **keywords)
    if caught.error is not None:
        return None, caught.error
    finite = False
    with CaughtError() as caught:
        finite = _is_finite(returned)
        try:
            line, _ = backward_line(returned, BackwardStart())
        except WorkError:
            return _Shortcomings(failed_backward=True, missing=0, not_finite=not finite), None
        exec(line, {"output": returned, "torch": torch})
    leaves = [each for each in values if isinstance(each, torch.Tensor) and each.requires_grad]
    missing = sum(each.grad is None for each in leaves)
    failed = caught.error is not None
    return _Shortcomings(failed_backward=failed, missing=missing, not_finite=not finite), None


@calls_user_code
def _is_finite(returned: object) -> bool:
    outputs = returned if isinstance(returned, tuple | list) else (returned,)
    tensors = [each for each in outputs if isinstance(each, torch.Tensor)]
    return all(bool(each.isfinite().all()) for each in tensors) and any(
        each.numel() for each in tensors
    )
