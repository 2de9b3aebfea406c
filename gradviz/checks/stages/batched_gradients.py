"""Checks of batched backward and forward mode: ``vmap`` against separate passes.

Sources: ``_test_batched_grad`` and ``_test_batched_grad_forward_ad`` in
torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import dis
import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import CodeType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from gradviz.checks.backward_function import differentiable, nodes_of
from gradviz.checks.output_parts import is_continuous
from gradviz.checks.problem_messages import UserCodeAttempt, make_problem, refusal_verdict
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.recorder.compat import vmap_of_gradcheck
from gradviz.recorder.patching.signals import calls_user_code

_BATCH = 2


def expected_evaluations(outputs: Sequence[Any]) -> int:
    """Number of backward passes that `check_batched` takes."""
    return (_BATCH + 1) * len(differentiable(outputs))


def check_batched(running: CheckContext, outputs: Sequence[Any]) -> None:
    """Check that ``vmap`` over backward matches separate backward passes. Keeps the graph.

    A backward that reads ``.data`` of its gradient would crash the interpreter under ``vmap``. If
    its bytecode does that, nothing is run and the verdict is ``error``.
    """
    running.findings.add(batched=True)
    for k, (position, output) in enumerate(differentiable(outputs)):
        name = running.output_names[position]
        crashing = _reading_data(output)
        if crashing:
            problem = make_problem("batched_gradient.crashes", function=crashing)
            running.findings.fault(CheckStage.BATCHED, problem, "error", k)
            return
        with UserCodeAttempt() as attempt:
            _check_one(running, k, name, output)
        if attempt.error is not None:
            problem = running.backward_raised(position, attempt.error)
            running.findings.fault(CheckStage.BATCHED, problem, "error", k)


@contextmanager
def without_vmap_warnings() -> Iterator[None]:
    """Silence torch about each operation without a batching rule, which is slow but correct."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="There is a performance drop")
        yield


@calls_user_code
def _check_one(running: CheckContext, k: int, name: str, output: Tensor) -> None:
    # As in gradcheck, from the run's own generator.
    incoming = [torch.randn_like(output) for _ in range(_BATCH)]
    one_by_one = [_gradients(running, output, each, batched=False) for each in incoming]
    expected = [
        torch.stack([torch.zeros_like(tensor) if each is None else each for each in gradients])
        for tensor, *gradients in zip(running.subject.tensors, *one_by_one, strict=True)
    ]
    at_once: Sequence[Any] = ()
    with UserCodeAttempt() as attempt:
        at_once = _gradients(running, output, torch.stack(incoming), batched=True)
    if attempt.error is not None:
        problem = make_problem("batched_gradient.raised", output=name, error=attempt.error)
        running.findings.fault(CheckStage.BATCHED, problem, refusal_verdict(attempt.error), k)
        return
    for each, found, right in zip(running.inputs, at_once, expected, strict=True):
        # With torch's default tolerances, as in gradcheck.
        if not torch.allclose(torch.zeros_like(right) if found is None else found, right):
            problem = make_problem("batched_gradient", name=each.name, output=name)
            running.findings.fault(CheckStage.BATCHED, problem, "mismatch", k)


@calls_user_code
def _gradients(
    running: CheckContext, output: Tensor, incoming: Tensor, *, batched: bool
) -> Sequence[Any]:
    running.evaluations.begin()
    with without_vmap_warnings():
        return torch.autograd.grad(
            output,
            running.subject.tensors,
            incoming,
            retain_graph=True,
            allow_unused=True,
            is_grads_batched=batched,
        )


def _reading_data(output: Tensor) -> str:
    """Name of a Function in the graph whose backward reads ``.data`` of its gradients."""
    for node in nodes_of([output]):
        cls = getattr(type(node), "_forward_cls", None)
        if cls is not None and _reads_data_of_gradients(inspect.unwrap(cls.backward)):
            return str(cls.__name__)
    return ""


def _reads_data_of_gradients(backward: Any) -> bool:
    code = getattr(backward, "__code__", None)
    if code is None:
        return False
    count = code.co_argcount + bool(code.co_flags & inspect.CO_VARARGS)
    return _reads_data(code, code.co_varnames[1:count])


def _reads_data(code: CodeType, arriving: Sequence[str]) -> bool:
    """Whether a function, or one nested in it, reads ``.data`` of the given variables."""
    read = ""
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith(("LOAD_FAST", "LOAD_DEREF")):
            name = instruction.argval  # Since Python 3.13, one instruction may load two names.
            read = str(name[-1] if isinstance(name, tuple) else name)
        elif instruction.opname == "LOAD_ATTR" and instruction.argval == "data":
            if read in arriving:
                return True
        # An index in between, as in `grads[0].data`, still reads from the same variable.
        elif not instruction.opname.startswith(("LOAD_CONST", "BINARY_SUBSCR")):
            read = ""
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return any(_reads_data(each, arriving) for each in inner)


def expected_batched_forward(running: CheckContext) -> int:
    """Number of evaluations that `check_batched_forward` takes."""
    return (_BATCH + 1) * len(running.inputs)


def check_batched_forward(running: CheckContext) -> None:
    """Check that ``vmap`` over forward mode matches one evaluation for each tangent."""
    for i in range(len(running.inputs)):
        with UserCodeAttempt() as attempt:
            _check_forward_one(running, i)
        if attempt.error is not None:
            problem = make_problem("forward_mode.raised", error=attempt.error)
            running.findings.fault(CheckStage.BATCHED_FORWARD, problem, "error", i)
            return
    running.findings.notice(make_problem("option.batched_forward"))


@calls_user_code
def _check_forward_one(running: CheckContext, i: int) -> None:
    each = running.inputs[i]
    # As in gradcheck, from the run's own generator.
    tangents = [torch.randn_like(each.tensor) for _ in range(_BATCH)]
    along = partial(_tangents, running, each.position)
    one_by_one = [along(tangent) for tangent in tangents]
    at_once: tuple[Tensor, ...] = ()
    with UserCodeAttempt() as attempt, without_vmap_warnings():
        at_once = vmap_of_gradcheck(along)(torch.stack(tangents))
    if attempt.error is not None:
        problem = make_problem("batched_forward.raised", name=each.name, error=attempt.error)
        verdict = refusal_verdict(attempt.error)
        running.findings.fault(CheckStage.BATCHED_FORWARD, problem, verdict, i)
        return
    for found, *right in zip(at_once, *one_by_one, strict=True):
        # With torch's default tolerances, as in gradcheck.
        if not torch.allclose(found, torch.stack(right)):
            problem = make_problem("batched_forward", name=each.name)
            running.findings.fault(CheckStage.BATCHED_FORWARD, problem, "mismatch", i)
            return


@calls_user_code
def _tangents(running: CheckContext, position: int, tangent: Tensor) -> tuple[Tensor, ...]:
    """The outputs' tangents along one of an argument, zeros for an output without one."""
    values = [
        value.detach() if isinstance(value, Tensor) else value
        for value in running.subject.arguments
    ]
    with forward_ad.dual_level():
        values[position] = forward_ad.make_dual(values[position], tangent)
        duals = map(forward_ad.unpack_dual, filter(is_continuous, running.evaluator.call(values)))
        return tuple(
            torch.zeros_like(primal) if found is None else found for primal, found in duals
        )
