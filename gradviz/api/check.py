"""``gradviz.check``: a Jacobian check as a function that returns its findings."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import torch
from msgspec.structs import replace

from gradviz.api.recorded_call import record_call, source_of, title_of, trace_of_call
from gradviz.api.result import CheckResult
from gradviz.catalogue.messages import say, say_count
from gradviz.checks.names import argument_names, function_class, parameters_of
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.checks.rule_violations import rule_violations
from gradviz.checks.run import jacobian_check
from gradviz.checks.run.first_prints import ShownOnce
from gradviz.checks.run.progress import ignore_progress
from gradviz.model.check_settings import DEFAULTS, CheckSettings, ForwardModeSetting
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorRecord, TensorValue, computed_record
from gradviz.model.trace import Origin, Trace
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import end_giving_way
from gradviz.recorder.run_origin import make_origin
from gradviz.store.output import choose_output, finish_output
from gradviz.store.output_lock import unlock_output
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter

_SETTINGS = frozenset(CheckSettings.__struct_fields__)


class MatrixStore:
    """Matrices by id, as in a trace.

    Attributes:
        records: Record of each matrix.
    """

    def __init__(self) -> None:
        self.records: list[TensorRecord] = []
        self._values: dict[int, TensorValue] = {}

    def store(self, value: TensorValue) -> int:
        """Store a matrix and return its id."""
        number = len(self.records) + 1
        self._values[number] = value
        self.records.append(computed_record(number, value))
        return number

    def values(self, number: int) -> TensorValue | None:
        """Matrix by its id; None if there is none."""
        return self._values.get(number)

    def __getstate__(self) -> dict[str, Any]:
        # A view cannot be pickled.
        copied = {k: replace(each, data=bytes(each.data)) for k, each in self._values.items()}
        return {"records": self.records, "_values": copied}


def check(
    fn: Callable[..., Any],
    inputs: torch.Tensor | Sequence[Any],
    *,
    kwargs: Mapping[str, Any] | None = None,
    names: Sequence[str] | None = None,
    reference: Callable[..., Any] | None = None,
    grad_outputs: torch.Tensor | Sequence[torch.Tensor] | None = None,
    order: Literal[1, 2] = 1,
    eps: float = DEFAULTS.eps,
    atol: float = DEFAULTS.atol,
    rtol: float = DEFAULTS.rtol,
    nondet_tol: float = DEFAULTS.nondet_tol,
    cast: bool | None = None,
    forward_mode: ForwardModeSetting = DEFAULTS.forward_mode,
    batched: bool = DEFAULTS.batched,
    fast: bool = DEFAULTS.fast,
    backward_mode: bool = DEFAULTS.backward_mode,
    undefined: bool = DEFAULTS.undefined,
    batched_forward: bool = DEFAULTS.batched_forward,
    masked: bool = DEFAULTS.masked,
    noncontiguous: bool = DEFAULTS.noncontiguous,
    battery: bool = DEFAULTS.battery,
    variations: bool = DEFAULTS.variations,
    nudge: float = DEFAULTS.nudge,
    progress: Callable[[int, int], None] = ignore_progress,
    trace: str | PathLike[str] | None = None,
) -> CheckResult:
    """Compare numerical Jacobians of ``fn`` with its backward's, and diagnose errors.

    The verdict is that of ``torch.autograd.gradcheck`` (of ``gradgradcheck`` for ``order=2``) on
    the same inputs. Unlike gradcheck, it does not raise for a mismatch or for an exception in
    ``fn``: the result describes both. It runs in this process and records gradients even within
    ``no_grad`` or ``inference_mode``. What ``fn`` prints is shown the first time, and only counted
    when further evaluations print it again. The inputs have their original values afterwards. One
    more call is recorded to find violations of the doctor's rules, which don't affect the verdict.

    Args:
        fn: A custom Function, its ``apply``, a module, or any other callable that takes the inputs
            and returns a tensor or a tuple.
        inputs: Its arguments: one tensor, or a tuple or list. Tensors that require a gradient are
            differentiated; they should normally be float64. So are those inside of dicts, lists,
            tuples and dataclasses, with names such as ``batch['x']``.
        kwargs: Arguments by name, as in a call. Tensors are differentiated too, unless ``fn`` takes
            them by name only.
        names: One name per argument in ``inputs``; taken from the signature if omitted.
        reference: A plain version of ``fn``, whose derivatives autograd knows; its Jacobian is a
            third opinion.
        grad_outputs: For ``order=2``, the incoming gradients, in the order of the differentiable
            outputs; those that require a gradient are varied. Drawn at random if omitted.
        order: 1 checks the function, 2 its backward.
        eps: Step of the central difference, in units of the inputs.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        nondet_tol: Largest allowed difference between two runs of the same backward.
        cast: Whether inputs of lower precision are first cast to float64 or complex128; if None,
            they are if ``fn`` runs on them.
        forward_mode: Whether forward mode is compared too: ``on``, ``off``, or ``auto``, which
            compares it if a Function has a ``jvp``, without affecting the verdict.
        batched: Whether ``vmap`` over backward is compared too.
        fast: Whether products with random vectors are compared first, and matrices only if needed.
        backward_mode: Whether backward is compared; if not, only forward mode is, which must be
            ``on``.
        undefined: Whether undefined gradients and tangents are tried.
        batched_forward: Whether ``vmap`` over forward mode is compared too.
        masked: Whether only the specified elements of sparse inputs are varied.
        noncontiguous: Whether the incoming gradients that ``order=2`` draws are not contiguous.
        battery: Whether backward is tried with incoming gradients that gradcheck never tries, and
            a ``vmap`` rule is compared with a loop.
        variations: Whether other sizes, strides and dtypes of the inputs are tried too.
        nudge: How far the inputs are moved first, away from a kink.
        progress: Called as each evaluation begins, with the number of evaluations begun and
            expected; expected is 0 once the Jacobians are compared, as it is not known then.
        trace: File to write the recorded call and the report to, for ``gradviz view``; a trace that
            exists is replaced.

    Returns:
        The findings. The result is true if everything passed, prints as text, and displays
        heatmaps in a notebook.

    Raises:
        TypeError: If ``fn`` is not callable, the inputs are not a tensor, tuple or list, or
            ``kwargs`` do not fit the signature.
        ValueError: If a setting is invalid.
        TraceError: If the trace cannot be written.

    Example:
        >>> import torch, gradviz
        >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        >>> gradviz.check(torch.nn.functional.softplus, x, kwargs={"beta": 2.0}).verdict
        'match'
    """
    # First, while the parameters are the only variables; each setting has the name of its field.
    given = {name: value for name, value in locals().items() if name in _SETTINGS}
    given |= {"cast": bool(cast), "auto_cast": cast is None, "reference": "", "grad_outputs": ""}
    settings = CheckSettings(**given)
    arguments = as_arguments(inputs)
    _refuse(fn, arguments, names, reference, order, forward_mode)
    given_gradients = _incoming(grad_outputs, order)
    if not callable(progress):
        raise TypeError(_not_callable("progress", progress))
    kept, title = MatrixStore(), title_of(fn)
    end_giving_way()  # It would record every evaluation of the check.
    call, arguments, names = _with_keywords(fn, arguments, names, kwargs or {})
    with torch.inference_mode(False), ShownOnce() as shown:
        report = jacobian_check.check(
            call,
            arguments,
            sink=kept,
            names=names,
            settings=settings,
            order=order,
            reference=_reference(reference),
            grad_outputs=given_gradients,
            title=title,
            progress=shown.before_each(progress),
        )
        found = _with_recorded_call(fn, call, arguments, report, kept, trace)
    return CheckResult(found, report, kept.values, settings)


def _with_recorded_call(
    fn: Callable[..., Any],
    call: Callable[..., Any],
    arguments: Sequence[Any],
    report: JacobianReport,
    kept: MatrixStore,
    path: str | PathLike[str] | None,
) -> Trace:
    """The report, with the doctor's findings in one more call; both are written to a path."""
    title = report.subject
    origin = make_origin(title=title, subject=title, device=report.device)
    # The call draws no random numbers of the caller.
    with torch.enable_grad(), same_random_state():
        if path is None:
            recorded, _ = trace_of_call(call, arguments, origin)
        else:
            recorded = _write_trace(Path(path), call, arguments, origin, report, kept)
    return Trace(
        origin=origin,
        tensors=tuple(kept.records),
        reports=(report,),
        findings=rule_violations(fn, source_of(fn)[0], recorded),
    )


def _write_trace(
    path: Path,
    call: Callable[..., Any],
    arguments: Sequence[Any],
    origin: Origin,
    report: JacobianReport,
    kept: MatrixStore,
) -> Trace:
    """Write the report and a recorded call into one trace; return what was recorded."""
    _, aside = choose_output(path, path.stem)
    options = RecordingOptions(level="all")
    try:
        with closing(TraceWriter(aside, replace(origin, level=options.level))) as writer:
            for each in kept.records:
                if (value := kept.values(each.id)) is not None:
                    writer.put_tensor(each, value.data)
            writer.put(report)
            writer.flush()
            record_call(call, arguments, writer, options)
        finish_output(aside, path)
    finally:
        unlock_output(path)
    with open_trace(path) as reader:
        return reader.trace()


def _with_keywords(
    fn: Callable[..., Any],
    arguments: tuple[Any, ...],
    names: Sequence[str] | None,
    keywords: Mapping[str, Any],
) -> tuple[Callable[..., Any], tuple[Any, ...], Sequence[str] | None]:
    """Place keyword arguments by position where the signature allows it, as a Function needs.

    Returns:
        What to call with positional arguments only, these arguments, and their names.

    Raises:
        TypeError: If they do not fit the signature.
    """
    if not keywords:
        return fn, arguments, names
    parameters = parameters_of(fn)
    if not parameters:  # Functions written in C.
        return functools.partial(fn, **keywords), arguments, names
    bound = inspect.Signature(parameters).bind(*arguments, **keywords)
    if any(
        each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters if each.name in bound.kwargs
    ):
        # A parameter in front of them has its default.
        bound.apply_defaults()
    placed, rest = bound.args, bound.kwargs
    if names is not None:
        names = (*names, *argument_names(fn, len(placed))[len(arguments) :])
    return functools.partial(fn, **rest) if rest else fn, placed, names


def as_arguments(inputs: object) -> tuple[Any, ...]:
    """Inputs as a tuple.

    Raises:
        TypeError: If they are not a tensor, tuple or list.
    """
    if isinstance(inputs, torch.Tensor):
        return (inputs,)
    if isinstance(inputs, tuple | list):
        return tuple(inputs)
    raise TypeError(say("argument.inputs", type=type(inputs).__name__))


def _refuse(
    fn: object,
    arguments: Sequence[Any],
    names: Sequence[str] | None,
    reference: object,
    order: int,
    forward_mode: str,
) -> None:
    if not callable(fn):
        raise TypeError(_not_callable("fn", fn))
    if reference is not None and not callable(reference):
        raise TypeError(_not_callable("reference", reference))
    if isinstance(names, str) or (names is not None and len(names) != len(arguments)):
        raise ValueError(say_count("argument.names.count", len(arguments)))
    if names is not None and not all(isinstance(each, str) for each in names):
        raise TypeError(say("argument.names"))
    if order not in (1, 2):
        raise ValueError(say("argument.order", value=order))
    if forward_mode not in ("auto", "on", "off"):
        raise ValueError(say("argument.forward_mode", value=repr(forward_mode)))


def _incoming(given: object, order: int) -> tuple[torch.Tensor, ...] | None:
    """The given incoming gradients as a tuple; None for None.

    Raises:
        TypeError: If they are neither a tensor nor a tuple or list of tensors.
        ValueError: If no backward is checked.
    """
    if given is None:
        return None
    if order != 2:
        raise ValueError(say("argument.grad_outputs.order"))
    found = (given,) if isinstance(given, torch.Tensor) else given
    if isinstance(found, tuple | list) and all(isinstance(t, torch.Tensor) for t in found):
        return tuple(found)
    raise TypeError(say("argument.grad_outputs"))


def _not_callable(name: str, value: object) -> str:
    return say("argument.callable", name=name, type=type(value).__name__)


def _reference(plain: Callable[..., Any] | None) -> Reference | None:
    if plain is None:
        return None
    cls = function_class(plain)
    return Reference(title=title_of(plain), call=plain if cls is None else cls.apply)
