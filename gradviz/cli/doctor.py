"""``gradviz doctor``: violations of the rules for custom Functions, read and observed."""

from __future__ import annotations

import argparse
import ast
import tempfile
import tokenize
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.errors import UsageError, writing

if TYPE_CHECKING:
    from gradviz.linter.doctor_finding import DoctorFinding
    from gradviz.linter.selection import RuleSelection
    from gradviz.model.inputs import Offer

CLEAN, FOUND, ERROR = 0, 1, 2
FORMATS = ("text", "json", "sarif", "junit")


def run(arguments: argparse.Namespace) -> int:
    """Examine files; exit code 1 for an error or warning, 2 for a file that cannot be examined."""
    from gradviz.linter.selection import SelectionError, parse_rules

    if arguments.rules:
        return _list_rules()
    if not arguments.targets:
        raise UsageError(say("doctor.no_target"))
    examination = _Examination(run_examples=arguments.run_examples)
    try:
        given = _selection(parse_rules(arguments.select), parse_rules(arguments.ignore))
        for target in dict.fromkeys(arguments.targets):
            examination.examine(target, given)
    except SelectionError as error:
        raise UsageError(str(error)) from None
    for problem in examination.problems:
        output.print_error(problem)
    _write(arguments, examination)
    grave = any(each.severity != "info" for each in examination.findings)
    return ERROR if examination.problems else FOUND if grave else CLEAN


def _selection(select: tuple[str, ...], ignore: tuple[str, ...]) -> RuleSelection:
    from gradviz.linter.selection import RuleSelection

    return RuleSelection(select=select, ignore=ignore)


def _list_rules() -> int:
    from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule

    for declared in DOCTOR_RULES:
        rule = doctor_rule(declared.id) or declared
        output.say(f"{rule.id}  {rule.code}: {rule.summary}")
    return CLEAN


class _Examination:
    """Findings of several files.

    Attributes:
        findings: Those that the selections of their files include.
        problems: Sentences on what could not be examined.
        paths: The files.
    """

    def __init__(self, *, run_examples: bool) -> None:
        self._run_examples = run_examples
        self.findings: list[DoctorFinding] = []
        self.problems: list[str] = []
        self.paths: list[str] = []

    def examine(self, target: str, given: RuleSelection) -> None:
        """Examine ``FILE.py`` or ``FILE.py:NAME``.

        Raises:
            UsageError: If the target names no Python file.
            SelectionError: If the project's selection is invalid.
        """
        from gradviz.linter.doctor_finding import findings_of_source, merged
        from gradviz.linter.selection import ignored_rules, select_findings, selection_of_project

        path, name = _split(target)
        try:
            source = _read(path)
            ast.parse(source)
        except UsageError as error:
            self.problems.append(str(error))
            return
        except (SyntaxError, ValueError) as error:
            self.problems.append(_unparsed(path, error))
            return
        project = selection_of_project(path)
        selection = _selection(given.select or project.select, (*given.ignore, *project.ignore))
        function = _function(source, name)
        found = list(findings_of_source(str(path), source, function))
        if self._run_examples:
            found = [*self._run(target, path, is_read=not name or function is not None), *found]
        paths = {str(path), *(each.path for each in found)}
        ignored = {each: ignored_rules(_read(Path(each))) for each in paths}
        self.findings += select_findings(merged(found), selection, ignored)
        self.paths.append(str(path))

    def _run(self, target: str, path: Path, *, is_read: bool) -> list[DoctorFinding]:
        """Run the examples of a file; one without examples is only read, if it is to be read."""
        from gradviz.cli.subject import find_offers

        try:
            offers, problems = find_offers((), (target,), None, remedies=False)
        except UsageError as error:
            if is_read:
                output.print_error(say("doctor.no_examples", path=path, problem=error))
            else:
                self.problems.append(str(error))
            return []
        self.problems += problems
        return [each for offer in offers for each in self._record(offer, path)]

    def _record(self, offer: Offer, path: Path) -> tuple[DoctorFinding, ...]:
        from gradviz.host.limits import Limits
        from gradviz.host.pool import run_blocking
        from gradviz.linter.doctor_finding import findings_of_run
        from gradviz.protocol.messages import RunRequest
        from gradviz.store.reader import open_trace

        with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
            trace = Path(folder) / "run.gradviz"
            request = RunRequest(offer=offer, trace=str(trace), level="ops")
            # No time limit: a user at the terminal can press Ctrl+C.
            ending = run_blocking(request, limits=Limits(time_s=None))
            findings: tuple[DoctorFinding, ...] = ()
            if trace.exists():
                with open_trace(trace) as reader:
                    findings = findings_of_run(str(path.absolute()), reader.trace())
        # An exception that a finding explains is no problem of its own.
        if ending.kind != "finished" and not any(each.is_observed_error for each in findings):
            self.problems.append(
                say("doctor.not_run", name=offer.subject.name, problem=ending.sentence)
            )
        return tuple(
            replace(each, path=_shown_path(Path(each.path), path))
            for each in findings
            if _is_beside(Path(each.path), path)
        )


def _is_beside(found: Path, examined: Path) -> bool:
    """Whether a file is the examined one, or one of its own folder that it imports."""
    folder = examined.absolute().parent
    return found.is_file() and found.is_relative_to(folder) and "site-packages" not in found.parts


def _shown_path(found: Path, examined: Path) -> str:
    """The path of a file, relative if that of the examined file is."""
    if found == examined.absolute():
        return str(examined)
    if examined.is_absolute():
        return str(found)
    return str(examined.parent / found.relative_to(examined.absolute().parent))


def _unparsed(path: Path, error: Exception) -> str:
    line = getattr(error, "lineno", None)
    problem = getattr(error, "msg", None) or str(error)
    return say("doctor.unreadable", path=f"{path}:{line}" if line else path, problem=problem)


def _function(source: str, name: str) -> str | None:
    """The name, if it is that of a Function in the file."""
    from gradviz.analysis.source_statements import parse_source
    from gradviz.linter.function_class import function_classes

    tree = parse_source(source)
    names = set() if tree is None else {each.name for each in function_classes(tree)}
    return name if name in names else None


def _split(target: str) -> tuple[Path, str]:
    if target.endswith(".py"):
        return Path(target), ""
    path, separator, name = target.rpartition(":")
    if not separator or not path.endswith(".py") or not name:
        raise UsageError(say("doctor.bad_target", target=target))
    return Path(path), name


def _read(path: Path) -> str:
    try:
        # Python's own rules for the encoding: a byte order mark, or a comment.
        with tokenize.open(path) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise UsageError(
            say("doctor.unreadable", path=path, problem=getattr(error, "strerror", None) or error)
        ) from None


def _write(arguments: argparse.Namespace, examination: _Examination) -> None:
    from gradviz.export.doctor.junit import doctor_junit
    from gradviz.export.doctor.text import doctor_lines

    findings = examination.findings
    if arguments.format == "junit":
        document = doctor_junit(findings, examination.paths).decode("utf-8")
    elif arguments.format == "text":
        document = "\n".join(doctor_lines(findings))
    else:
        document = output.json_text(_json(arguments.format, findings, examination.problems))
    if arguments.output is None:
        output.say(document.rstrip("\n"))
        return
    with writing(arguments.output) as path:
        path.write_text(document.rstrip("\n") + "\n", encoding="utf-8")


def _json(form: str, findings: Sequence[DoctorFinding], problems: Sequence[str]) -> dict[str, Any]:
    from gradviz.export.doctor.json_document import doctor_document
    from gradviz.export.doctor.sarif import sarif_document

    if form == "sarif":
        return sarif_document(findings, Path.cwd())
    return doctor_document(findings, problems)
