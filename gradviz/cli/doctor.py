"""``gradviz doctor``: violations of the rules for custom Functions, read and observed.

Finds the files that ``gradviz doctor`` examines: named files and those in folders.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gradviz.catalogue.messages import say, say_list
from gradviz.cli import output
from gradviz.cli.arguments import VerbArguments
from gradviz.cli.errors import UsageError, check_file, check_output, writing
from gradviz.cli.limit_options import ending_with_option, limits_of
from gradviz.cli.traces import temporary_trace

if TYPE_CHECKING:
    from gradviz.host.job_ending import JobEnding
    from gradviz.host.limits import Limits
    from gradviz.linter.coverage import Coverage, WhyNotRun
    from gradviz.linter.doctor_finding import DoctorFinding
    from gradviz.linter.selection import RuleSelection
    from gradviz.linter.unexamined import Unexamined
    from gradviz.model.inputs import Offer
    from gradviz.protocol.messages import Described, RunRequest


_SKIPPED = frozenset({"__pycache__", "site-packages", "node_modules"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorTarget:
    """A file to examine.

    Attributes:
        path: Its path as it was first given, without detours such as ``./``.
        name: The only example or Function to look at; empty for all.
        in_folder: Whether only its folder was named. Such a file may be no program of its own.
    """

    path: Path
    name: str = ""
    in_folder: bool = False


def doctor_targets(given: Sequence[str]) -> tuple[DoctorTarget, ...]:
    """The files that arguments name, each once.

    Args:
        given: ``FILE.py``, ``FILE.py:NAME`` or a folder.

    Raises:
        UsageError: If an argument is none of them, or a folder contains no Python file.
    """
    targets = [each for argument in given for each in _named(argument)]
    paths: dict[Path, Path] = {}
    for each in targets:
        paths.setdefault(each.path.resolve(), each.path)
    whole = {each.path.resolve() for each in targets if not each.name}
    named = {each.path.resolve() for each in targets if not each.in_folder}
    found = (
        DoctorTarget(path=paths[at], name=each.name, in_folder=at not in named)
        for each in targets
        for at in (each.path.resolve(),)
        # The whole file contains the name.
        if not each.name or at not in whole
    )
    return tuple(dict.fromkeys(found))


def _named(argument: str) -> Iterator[DoctorTarget]:
    path = Path(os.path.normpath(argument))
    if path.is_dir():
        files = sorted(_python_files(path))
        if not files:
            raise UsageError(say("doctor.empty_folder", path=path))
        yield from (DoctorTarget(path=each, in_folder=True) for each in files)
    elif argument.endswith(".py"):
        yield DoctorTarget(path=path)
    else:
        file, separator, name = argument.rpartition(":")
        if not separator or not file.endswith(".py") or not name:
            raise UsageError(say("doctor.bad_target", target=argument))
        yield DoctorTarget(path=Path(os.path.normpath(file)), name=name)


def _python_files(folder: Path) -> Iterator[Path]:
    """The Python files of a project: hidden folders and virtual environments left out."""
    for here, folders, files in os.walk(folder):
        inside = Path(here)
        folders[:] = [
            each
            for each in folders
            if each not in _SKIPPED
            and not each.startswith(".")
            and not (inside / each / "pyvenv.cfg").exists()
        ]
        yield from (inside / each for each in files if each.endswith(".py"))


CLEAN, FOUND, ERROR = 0, 1, 2
FORMATS = ("text", "json", "sarif", "junit")
_FORMATS_OF_FILES = {".json": "json", ".sarif": "sarif", ".xml": "junit"}


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    from gradviz.host.limits import TIME_S

    add("targets", nargs="*", metavar="FILE.py[:NAME]|FOLDER")
    for name in ("--select", "--ignore"):
        add(name, type=_split_names, default=(), metavar="GV1,...")
    add("--no-run", dest="run_examples", action="store_false")
    add.limits(time_s=TIME_S)
    add("--format", choices=FORMATS, default=None)
    add.output()
    add("--rules", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Examine files; exit code 1 for an error or warning, 2 for a file that cannot be examined."""
    from gradviz.linter.selection import SelectionError, parse_rules

    if arguments.rules:
        return _list_rules()
    if not arguments.targets:
        raise UsageError(say("doctor.no_target"))
    # /dev/stdout and descriptors such as /dev/fd/3 may be pipes, but open without a reader.
    if arguments.output is not None and not arguments.output.is_relative_to("/dev"):
        check_output(arguments.output)
    examination = _Examination(run_examples=arguments.run_examples, limits=limits_of(arguments))
    try:
        given = _selection(parse_rules(arguments.select), parse_rules(arguments.ignore))
        for target in doctor_targets(arguments.targets):
            examination.examine(target, given)
    except SelectionError as error:
        raise UsageError(str(error)) from None
    for problem in examination.problems:
        output.print_error(problem.message)
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


@dataclass(slots=True, kw_only=True)
class _Observed:
    """What the runs of a file's examples have shown."""

    not_run: WhyNotRun = ""
    runs: int = 0
    differentiates_twice: bool = False
    findings: list[DoctorFinding] = field(default_factory=list)


class _Examination:
    """Findings of several files.

    Attributes:
        findings: Those that the selections of their files include.
        problems: What could not be examined.
        coverages: What was looked at in each file.
    """

    def __init__(self, *, run_examples: bool, limits: Limits) -> None:
        self._run_examples = run_examples
        self._limits = limits
        self.findings: list[DoctorFinding] = []
        self.problems: list[Unexamined] = []
        self.coverages: list[Coverage] = []

    def examine(self, target: DoctorTarget, given: RuleSelection) -> None:
        """Examine a file.

        Raises:
            SelectionError: If the project's selection is invalid.
        """
        from gradviz.analysis.source_statements import parse_source
        from gradviz.linter.coverage import Coverage
        from gradviz.linter.doctor_finding import findings_of_source, merged
        from gradviz.linter.file_outline import may_declare_examples
        from gradviz.linter.selection import ignored_rules, select_findings, selection_of_project
        from gradviz.linter.source_findings import ExaminedMethods

        path = target.path
        try:
            if path.exists():
                check_file(path)
            source = _read(path)
            tree = ast.parse(source)
        except UsageError as error:
            self._fail(path, str(error))
            return
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self._fail(path, _unparsed(path, error))
            return
        if parse_source(source) is None:
            self._fail(path, say("file.too_deep", file=path))
            return
        project = selection_of_project(path)
        selection = _selection(given.select or project.select, (*given.ignore, *project.ignore))
        functions = _functions(tree, target.name)
        is_read = not target.name or bool(functions)
        methods = ExaminedMethods(functions=[target.name]) if target.name and is_read else None
        found = list(findings_of_source(str(path), source, methods))
        observed = _Observed(not_run="no_examples" if self._run_examples else "no_run")
        if self._run_examples and not (target.in_folder and not may_declare_examples(tree)):
            observed = self._run(target, found, is_read=is_read)
            found = [*observed.findings, *found]
        paths = {str(path), *(each.path for each in found)}
        ignored = {each: ignored_rules(_read(Path(each))) for each in paths}
        found = [*self.findings, *select_findings(merged(found), selection, ignored)]
        # Another file may have run the same code.
        self.findings = list(merged(found))
        self.coverages.append(
            Coverage(
                paths=(str(path),),
                functions=functions,
                runs=observed.runs,
                differentiates_twice=observed.differentiates_twice,
                not_run=observed.not_run,
                selection=selection,
            )
        )

    def _fail(self, path: Path, message: str) -> None:
        from gradviz.linter.unexamined import Unexamined

        self.problems.append(Unexamined(path=str(path), message=message))

    def _run(
        self, target: DoctorTarget, read: Sequence[DoctorFinding], *, is_read: bool
    ) -> _Observed:
        """Run the examples of a file; one without examples is only read, if it is to be read."""
        with temporary_trace() as file:
            return self._run_to(file, target, read, is_read=is_read)

    def _run_to(
        self, file: Path, target: DoctorTarget, read: Sequence[DoctorFinding], *, is_read: bool
    ) -> _Observed:
        from gradviz.cli.subject import describe_file
        from gradviz.model.inputs import unread_example

        path = target.path
        # The child that reads the file runs its first example, too.
        then = _recorded(unread_example(str(path), target.name), file.with_stem("0"))
        try:
            described, ending = describe_file(str(path), limits=self._limits, then=then)
        except UsageError as error:
            self._fail(path, say("doctor.only_read", path=path, problem=error))
            return _Observed(not_run="failed")
        offers, problem = described.offers, described.problem
        chosen = [each for each in offers if target.name in ("", each.subject.name)]
        declared = [each for each in chosen if each.is_declared]
        shown = [each for each in chosen or offers if target.name or not each.is_plain_function]
        names = say_list([each.subject.name for each in shown])
        observed = _Observed()
        if described.is_broken:
            observed.not_run = "failed"
            observed.findings += _raised(read, described)
            lost = problem if offers else say("doctor.only_read", path=path, problem=problem)
            # An exception that a finding explains is no problem of its own.
            if observed.findings:
                output.print_error(lost)
            else:
                self._fail(path, lost)
        elif not declared:
            missing = problem or say("command.undeclared", path=path, names=names)
            if offers and not chosen:
                missing = say("command.no_example", path=path, name=target.name, names=names)
            if is_read:
                if not any(each.is_from_text for each in offers):
                    missing = say("doctor.no_examples", path=path, problem=missing)
                output.print_error(missing)
            else:
                self._fail(path, missing)
            observed.not_run = "no_examples"
        for number, offer in enumerate(declared):
            trace = file.with_stem(str(number))
            self._observe(offer, path, trace, None if number else ending, observed)
        if declared:
            observed.not_run = "" if observed.runs else "failed"
        return observed

    def _observe(
        self,
        offer: Offer,
        path: Path,
        file: Path,
        ending: JobEnding | None,
        observed: _Observed,
    ) -> None:
        """Take what a run has shown; one without an ending is still to be made."""
        from gradviz.host.pool import run_blocking
        from gradviz.linter.doctor_finding import differentiates_twice, findings_of_run
        from gradviz.store.reader import open_trace

        if ending is None:
            ending = run_blocking(_recorded(offer, file), limits=self._limits)
        findings: tuple[DoctorFinding, ...] = ()
        if file.exists():
            with open_trace(file) as reader:
                trace = reader.trace()
                findings = findings_of_run(str(path.absolute()), trace)
                observed.differentiates_twice |= differentiates_twice(trace)
        # An exception that a finding explains is no problem of its own.
        explained = ending.kind == "failed" and any(each.is_observed_error for each in findings)
        if ending.kind == "finished" or explained:
            observed.runs += 1
        else:
            name = offer.subject.name
            self._fail(path, say("doctor.not_run", name=name, problem=ending_with_option(ending)))
        observed.findings += [
            replace(each, path=_shown_path(Path(each.path), path))
            for each in findings
            if _is_beside(Path(each.path), path)
        ]


def _recorded(offer: Offer, file: Path) -> RunRequest:
    from gradviz.protocol.messages import RunRequest

    return RunRequest(offer=offer, trace=str(file), level="ops")


def _raised(read: Sequence[DoctorFinding], described: Described) -> tuple[DoctorFinding, ...]:
    """The findings that explain the exception with which a file failed to load."""
    from gradviz.linter.doctor_finding import observed_as

    problem, line = described.problem, described.line
    refused = [each for each in read if each.rule.refusal and re.search(each.rule.refusal, problem)]
    causes = refused or [each for each in read if line and each.line == line]
    return tuple(
        replace(each, severity="error", evidence=observed_as(each.rule)) for each in causes
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


def _functions(tree: ast.Module, name: str) -> int:
    """Number of the custom Functions in a file; of those with a name, if one is given."""
    from gradviz.linter.function_class import function_classes

    return sum(name in ("", each.name) for each in function_classes(tree))


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

    findings, problems = examination.findings, examination.problems
    coverages = examination.coverages
    ending = "" if arguments.output is None else arguments.output.suffix.lower()
    form = arguments.format or _FORMATS_OF_FILES.get(ending, "text")
    if form == "junit":
        document = doctor_junit(findings, coverages, problems).decode("utf-8")
    elif form == "text":
        document = "\n".join(doctor_lines(findings, coverages))
    else:
        document = output.json_text(_json(form, examination))
    if arguments.output is None:
        if document:
            output.say_lines(document.rstrip("\n"))
        return
    with writing(arguments.output) as path:
        path.write_text(document.rstrip("\n") + "\n", encoding="utf-8")


def _json(form: str, examination: _Examination) -> dict[str, Any]:
    from gradviz.export.doctor.json_document import doctor_document
    from gradviz.export.doctor.sarif import sarif_document

    parts = examination.findings, examination.coverages, examination.problems
    return sarif_document(*parts, Path.cwd()) if form == "sarif" else doctor_document(*parts)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))
