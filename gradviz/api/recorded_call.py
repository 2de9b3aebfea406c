"""One call of a function in this process, recorded into a trace."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

import torch

from gradviz.checks.backward_function import nodes_of
from gradviz.checks.names import function_class, source_lines_of
from gradviz.checks.nested_arguments import tensors_inside
from gradviz.model.trace import Origin, Trace
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.own_errors import is_bug
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.recording import Recording
from gradviz.recorder.sources import shown_path
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter


def record_call(
    target: Callable[..., Any],
    arguments: Sequence[Any],
    writer: TraceWriter,
    options: RecordingOptions,
) -> Exception | None:
    """Record a call with copies of the arguments, and backward from the sum of each output.

    Args:
        target: A custom Function, its ``apply``, a module or any other callable.
        arguments: Its arguments. They, and all other leaves, keep their gradients.
        writer: Receives the records.
        options: What to record.

    Returns:
        What the call or its backward raised; a bug of gradviz is raised.

    Raises:
        TraceError: If not all could be recorded.
    """
    cls = function_class(target)
    call = target if cls is None else cls.apply
    raised: Exception | None = None
    recording = Recording(writer, options)
    try:
        with recording:
            _run(call, arguments)
    except Exception as error:
        if is_bug(error):
            raise
        raised = error
    recording.raise_problem()
    return raised


def trace_of_call(
    target: Callable[..., Any], arguments: Sequence[Any], origin: Origin
) -> tuple[Trace, Exception | None]:
    """The trace of a call as in `record_call`, without elements, and what the call raised."""
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        path = Path(folder) / "run.gradviz"
        with closing(TraceWriter(path, origin)) as writer:
            options = RecordingOptions(level="ops", budget_bytes=0)
            raised = record_call(target, arguments, writer, options)
        with open_trace(path) as reader:
            return reader.trace(), raised


def title_of(fn: Callable[..., Any]) -> str:
    """Name of a function for people: its own, its Function's, or an object's class."""
    cls = function_class(fn)
    if cls is not None:
        return cls.__name__
    # The qualified name of torch.mm is _VariableFunctionsClass.mm.
    attribute = "__name__" if isinstance(fn, BuiltinFunctionType) else "__qualname__"
    name = getattr(fn, attribute, "") or type(fn).__name__
    return str(name).rpartition("<locals>.")[2]


def source_of(target: Callable[..., Any]) -> tuple[str, str]:
    """Path and text of the file of a callable; the text is empty if there is none."""
    owner = function_class(target) or (
        type(target) if isinstance(target, torch.nn.Module) else target
    )
    try:
        path, lines = source_lines_of(owner)
        return shown_path(path), "".join(lines)
    except (OSError, TypeError):  # Typed at a prompt, or written in C.
        return title_of(target), ""


@calls_user_code
def _run(call: Callable[..., Any], arguments: Sequence[Any]) -> None:
    copies = [
        each.detach().clone().requires_grad_(each.requires_grad)
        if isinstance(each, torch.Tensor)
        else each
        for each in arguments
    ]
    returned = call(*copies)
    totals = [each.sum() for _, each in tensors_inside("output", returned)]
    if totals:
        with _kept_gradients(totals):
            torch.autograd.backward(totals)


@contextmanager
def _kept_gradients(outputs: Sequence[torch.Tensor]) -> Iterator[None]:
    """Give all leaves of a graph their present gradients back on exit."""
    found = [getattr(node, "variable", None) for node in nodes_of(outputs)]
    leaves = [each for each in found if each is not None]
    before = [each.grad for each in leaves]
    for each, gradient in zip(leaves, before, strict=True):
        # Backward adds to the present gradient in place; a backward may also read it.
        each.grad = None if gradient is None else gradient.detach().clone()
    try:
        yield
    finally:
        for each, gradient in zip(leaves, before, strict=True):
            each.grad = gradient
