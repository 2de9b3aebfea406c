"""``gradviz.doctor``: violations of the rules for custom Functions, as values."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from traceback import extract_tb
from typing import Any

import torch

from gradviz.api.check import as_arguments, origin_of, title_of
from gradviz.checks.names import function_class
from gradviz.linter.doctor_finding import (
    DoctorFinding,
    findings_of_run,
    findings_of_source,
    merged,
)
from gradviz.linter.selection import RuleSelection, ignored_rules, parse_rules, select_findings
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter


def doctor(
    target: str | PathLike[str] | Callable[..., Any],
    inputs: torch.Tensor | Sequence[Any] | None = None,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> tuple[DoctorFinding, ...]:
    """Find violations of the rules for custom Functions.

    Args:
        target: Path of a Python file, which is read; or a custom Function, its ``apply``, a module
            or any other callable, whose file is read as far as it concerns the Function.
        inputs: Arguments of a callable. If given, it is called with copies of them, backward starts
            from the sum of each output, and both are recorded.
        select: Rules to report, by id or the beginning of an id, such as ``GV1``; empty for all.
        ignore: Rules to leave out.

    Returns:
        The findings by file and line, without those that comments in the file accept. An exception
        in the run is a finding if it enforces a rule or comes from a line with a violation.

    Raises:
        FileNotFoundError: If the file does not exist.
        SelectionError: If a selection names no rule.
        Exception: Whatever the callable raises, if no finding explains it.
    """
    selection = RuleSelection(select=parse_rules(select), ignore=parse_rules(ignore))
    if not callable(target):
        path, function = str(target), None
        source = Path(path).read_text(encoding="utf-8")
    else:
        path, source, function = _source_of(target)
    found = list(findings_of_source(path, source, function))
    if callable(target) and inputs is not None:
        observed, raised = _observed(target, as_arguments(inputs), path)
        if raised is not None and not _is_explained(raised, observed, found):
            raise raised
        found += observed
    return select_findings(merged(found), selection, {path: ignored_rules(source)})


def _source_of(target: Callable[..., Any]) -> tuple[str, str, str | None]:
    """Path and text of the file of a callable, and the name of its Function if it is one."""
    cls = function_class(target)
    owner = cls or (type(target) if isinstance(target, torch.nn.Module) else target)
    try:
        path = inspect.getsourcefile(owner) or ""
        source = "".join(inspect.findsource(owner)[0])
    except (OSError, TypeError):  # Typed at a prompt, or written in C.
        path, source = title_of(target), ""
    return path, source, None if cls is None else cls.__name__


def _observed(
    target: Callable[..., Any], arguments: Sequence[Any], path: str
) -> tuple[tuple[DoctorFinding, ...], Exception | None]:
    cls = function_class(target)
    call = target if cls is None else cls.apply
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        trace = Path(folder) / "run.gradviz"
        writer = TraceWriter(trace, origin_of(title_of(target), "cpu"))
        raised: Exception | None = None
        try:
            with Recording(writer, RecordingOptions(level="ops")):
                _run(call, arguments)
        except Exception as error:
            raised = error
        finally:
            writer.close()
        with open_trace(trace) as reader:
            return findings_of_run(path, reader.trace()), raised


def _is_explained(
    raised: Exception, observed: Sequence[DoctorFinding], read: Sequence[DoctorFinding]
) -> bool:
    """Whether a finding is the cause of an exception."""
    frames = {(each.filename, each.lineno) for each in extract_tb(raised.__traceback__)}
    return any(each.severity == "error" for each in observed) or any(
        (each.path, each.line) in frames for each in read
    )


def _run(call: Callable[..., Any], arguments: Sequence[Any]) -> None:
    """Call with copies, so that the caller's tensors get neither gradients nor new elements."""
    copies = [
        each.detach().clone().requires_grad_(each.requires_grad)
        if isinstance(each, torch.Tensor)
        else each
        for each in arguments
    ]
    returned = call(*copies)
    outputs = returned if isinstance(returned, tuple | list) else (returned,)
    totals = [
        each.sum() for each in outputs if isinstance(each, torch.Tensor) and each.requires_grad
    ]
    if totals:
        torch.autograd.backward(totals)
