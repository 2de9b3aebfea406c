"""``gradviz.doctor``: violations of the rules for custom Functions, as values.

Result of ``gradviz.doctor``: the findings, and what was looked at to find them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from traceback import extract_tb
from typing import Any, Self

import torch

from gradviz.analysis.source_statements import parse_source
from gradviz.api.check import as_arguments
from gradviz.api.recorded_call import source_of, title_of, trace_of_call
from gradviz.catalogue.visible_text import visible_text
from gradviz.checks.names import function_class, methods_of
from gradviz.export.doctor.html import doctor_html
from gradviz.export.doctor.text import doctor_lines
from gradviz.linter.coverage import Coverage
from gradviz.linter.doctor_finding import (
    DoctorFinding,
    differentiates_twice,
    findings_of_run,
    findings_of_source,
    merged,
)
from gradviz.linter.function_class import function_classes
from gradviz.linter.selection import RuleSelection, ignored_rules, parse_rules, select_findings
from gradviz.recorder.run_origin import make_origin
from gradviz.recorder.sources import shown_path
from gradviz.recorder.user_traceback import traceback_of


class DoctorResult(tuple[DoctorFinding, ...]):
    """A tuple of findings that also tells which rules were checked.

    No findings are a good sign only for the rules in ``coverage.checked``. ``print(result)`` prints
    the text of ``gradviz doctor``: the findings, what was checked, and what the other rules need.

    Attributes:
        coverage: What was looked at.
    """

    coverage: Coverage

    def __new__(cls, findings: Iterable[DoctorFinding], coverage: Coverage) -> Self:
        """Combine the findings with what was looked at."""
        made = super().__new__(cls, findings)
        made.coverage = coverage
        return made

    def __getnewargs__(self) -> tuple[tuple[DoctorFinding, ...], Coverage]:
        """Arguments with which a copy is made."""
        return tuple(self), self.coverage

    def __str__(self) -> str:
        """Text of ``gradviz doctor``."""
        return "\n".join(map(visible_text, doctor_lines(self, (self.coverage,))))

    def _repr_html_(self) -> str:
        """HTML for notebooks: a table, and what was checked."""
        return doctor_html(self, (self.coverage,))

    def __repr__(self) -> str:
        """The findings, one in a line, and how many rules were checked."""
        checked, selected = len(self.coverage.checked), len(self.coverage.selected)
        name = self.coverage.paths[0]
        first = f"<DoctorResult {name} findings={len(self)} checked={checked}/{selected}>"
        return "\n  ".join((first, *map(repr, self)))


def doctor(
    target: str | PathLike[str] | Callable[..., Any],
    inputs: torch.Tensor | Sequence[Any] | None = None,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> DoctorResult:
    """Find violations of the rules for custom Functions.

    Args:
        target: Path of a Python file, which is read; or a custom Function, its ``apply``, a module
            or any other callable, whose file is read as far as it concerns the Function.
        inputs: Arguments of a callable. If given, it is called with copies of them, backward starts
            from the sum of each output, and both are recorded.
        select: Rules to report, by id or the beginning of an id, such as ``GV1``; empty for all.
        ignore: Rules to leave out.

    Returns:
        A tuple of the findings by file and line, without those that comments in the file accept. An
        exception in the run is a finding if it enforces a rule or comes from a line with a
        violation. Its ``coverage`` tells which rules were checked; the others need a call, or
        another kind of call. Values of gradients are checked by ``gradviz.check`` only. It
        prints as text, and displays a table in a notebook.

    Raises:
        FileNotFoundError: If the file does not exist.
        SelectionError: If a selection names no rule.
        Exception: Whatever the callable raises, if no finding explains it.
    """
    selection = RuleSelection(select=parse_rules(select), ignore=parse_rules(ignore))
    if not callable(target):
        path, methods = str(target), None
        source = Path(path).read_text(encoding="utf-8")
    else:
        cls = function_class(target)
        path, source = source_of(target)
        methods = None if cls is None or not source else methods_of(cls)
    found = list(findings_of_source(path, source, methods))
    runs, twice = 0, False
    if callable(target) and inputs is not None:
        title = title_of(target)
        origin = make_origin(title=title, subject=title, device="cpu")
        trace, raised = trace_of_call(target, as_arguments(inputs), origin)
        observed = findings_of_run(path, trace)
        if raised is not None and not _is_explained(raised, observed, found):
            raise raised
        found += observed
        runs, twice = 1, differentiates_twice(trace)
    coverage = Coverage(
        paths=(title_of(target) if callable(target) else path,),
        functions=_functions(source) if methods is None else 1,
        runs=runs,
        differentiates_twice=twice,
        not_run="" if runs else "no_inputs" if callable(target) else "file",
        selection=selection,
        is_call=callable(target),
    )
    findings = select_findings(merged(found), selection, {path: ignored_rules(source)})
    return DoctorResult(findings, coverage)


def _functions(source: str) -> int:
    """Number of the custom Functions in a source text."""
    tree = parse_source(source)
    return 0 if tree is None else len(function_classes(tree))


def _is_explained(
    raised: Exception, observed: Sequence[DoctorFinding], read: Sequence[DoctorFinding]
) -> bool:
    """Whether a finding is the cause of an exception."""
    frames = {(shown_path(each.filename), each.lineno) for each in extract_tb(traceback_of(raised))}
    return any(each.is_observed_error for each in observed) or any(
        (each.path, each.line) in frames for each in read
    )
