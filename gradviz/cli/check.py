"""``gradviz check``: comparison of numerical and analytical Jacobians."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.cli import output
from gradviz.cli.arguments import RUN_OPTIONS, VerbArguments, parsed
from gradviz.cli.errors import UsageError, check_file, check_output, writing
from gradviz.cli.limit_options import ending_with_option, limits_of, refuse_limits
from gradviz.cli.traces import temporary_trace

if TYPE_CHECKING:
    from gradviz.export.check.junit import CheckSuite
    from gradviz.host.job_ending import JobEnding
    from gradviz.model.check_settings import CheckSettings
    from gradviz.model.inputs import Offer
    from gradviz.model.jacobian_report import JacobianReport
    from gradviz.protocol.messages import CheckRequest, JobMessage
    from gradviz.store.reader import TraceReader

PASSED, FAILED, ERROR, INCONCLUSIVE = 0, 1, 2, 3
_TONES: dict[int, output.Tone] = {
    PASSED: "good",
    FAILED: "bad",
    ERROR: "bad",
    INCONCLUSIVE: "doubtful",
}
"""Colors of the first line, which has the verdict."""
_WORST_FIRST = (ERROR, FAILED, INCONCLUSIVE, PASSED)
_ORDERS = {"1": (1,), "2": (2,), "both": (1, 2)}
_REPORT = ".xml"
_FIGURES = (".svg", ".png")
_ENDINGS = (_REPORT, ".npz", *_FIGURES)


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments for targets, settings and outputs."""
    add.parser.epilog = say("help.check.exit_codes")
    add("targets", nargs="*", metavar="SCENE|FILE.py[:NAME]")
    add.each(*RUN_OPTIONS)
    add.limits()
    add("--order", choices=tuple(_ORDERS), default="1")
    _add_settings(add)
    group = add.parser.add_argument_group(say("help.check.outputs"))
    add("--format", to=group)
    add.output(to=group, action="append", default=[])
    add("--pair", to=group, metavar="NAME")
    add("--theme", to=group, default="light")


def _add_settings(add: VerbArguments) -> None:
    from gradviz.model.check_settings import DEFAULTS, ForwardModeSetting

    group = add.parser.add_argument_group(say("help.check.settings"))
    for name in ("eps", "atol", "rtol", "nondet_tol"):
        default = getattr(DEFAULTS, name)
        text = say("help.check.number", meaning=say(f"help.check.{name}"), default=default)
        option = f"--{name.replace('_', '-')}"
        add(option, to=group, type=tolerance, default=default, metavar="X", help=text)
    add("--cast", to=group, action=argparse.BooleanOptionalAction, default=None)
    modes, mode = get_args(ForwardModeSetting), DEFAULTS.forward_mode
    add("--forward-mode", to=group, choices=modes, default=mode)
    for name in ("batched", "batched-forward", "masked", "noncontiguous", "fast", "variations"):
        add(f"--{name}", to=group, action="store_true")
    for name in ("backward_mode", "undefined", "battery"):
        add(f"--no-{name.replace('_', '-')}", to=group, dest=name, action="store_false")
    for name in ("reference", "grad-outputs"):
        add(f"--{name}", to=group, default="", metavar="FILE.py:NAME")
    add("--nudge", to=group, type=tolerance, default=DEFAULTS.nudge, metavar="X")


def run(arguments: argparse.Namespace) -> int:
    """Run checks in child processes; exit code 0 if all pass, 1 if not, 2 for an error.

    It is 3 if low precision leaves a check inconclusive. A check fails if there is a mismatch, or
    an error that gradcheck misses. Of several checks, the worst result counts.
    """
    # Each verb imports what it needs when it runs, so that the others start quickly.
    from gradviz.cli.subject import find_offers, unread_offer, with_run_options
    from gradviz.store.file_kind import kind_of

    session, orders = _Session(arguments), _ORDERS[arguments.order]
    _check_outputs(arguments)
    traces = [path for each in arguments.targets if kind_of(path := Path(each)) == "trace"]
    targets = [each for each in arguments.targets if Path(each) not in traces]
    offers: list[Offer] = []
    problems: list[str] = []
    # A single file is read by the child that also checks its first example.
    waits = len(targets) == 1 and not (targets[0].endswith(".py") and _outputs_of_one(arguments))
    if waits:
        offers = [unread_offer(targets[0])]
    elif targets or not traces:
        offers, problems = find_offers(targets, limits_of(arguments))
    else:
        refuse_limits(traces[0], arguments)
    if len(offers) * len(orders) + len(traces) > 1 and _outputs_of_one(arguments):
        raise UsageError(say("command.one_check"))
    for problem in problems:
        output.print_error(problem)
    for trace in traces:
        session.read(trace)
    done = 0
    if waits:
        offers = session.check(with_run_options(offers[0], arguments), orders[0])
        done = 1
    for offer, order in [(offer, order) for offer in offers for order in orders][done:]:
        session.check(with_run_options(offer, arguments), order)
    return session.end()


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Reject outputs that cannot be written, before anything is computed.

    Raises:
        UsageError: For a wrong extension or a missing folder.
    """
    for path in arguments.output:
        if path.suffix.lower() not in _ENDINGS:
            raise UsageError(say("command.suffix", path=path, suffix=say_list(_ENDINGS, "or")))
        check_output(path)
    if arguments.pair and not _outputs(arguments, *_FIGURES):
        raise UsageError(say("command.pair"))


def _outputs(arguments: argparse.Namespace, *endings: str) -> list[Path]:
    """The files to write that have one of some extensions."""
    return [each for each in arguments.output if each.suffix.lower() in endings]


def _outputs_of_one(arguments: argparse.Namespace) -> list[Path]:
    """The files to write that hold a single check."""
    return _outputs(arguments, *(each for each in _ENDINGS if each != _REPORT))


def settings_of(arguments: argparse.Namespace) -> CheckSettings:
    """Convert the arguments to check settings.

    Raises:
        UsageError: If no check is possible with these settings.
    """
    from gradviz.model.check_settings import CheckSettings

    given: dict[str, Any] = {
        name: getattr(arguments, name, None) for name in CheckSettings.__struct_fields__
    }
    given |= {
        "cast": bool(arguments.cast),
        "auto_cast": arguments.cast is None,
        "allow_once": arguments.order == "both",
        "reference": _absolute(arguments.reference),
        "grad_outputs": _absolute(arguments.grad_outputs),
    }
    settings = CheckSettings(**given)
    if problem := settings.problem():
        raise UsageError(say(problem.key, name=problem.name, value=problem.value))
    return settings


def _absolute(place: str) -> str:
    """Make the file path of a name in a file absolute; a bare name is in the checked file."""
    path, separator, name = place.rpartition(":")
    if not separator:
        return place
    check_file(Path(path))
    return f"{Path(path).absolute()}:{name}"


@parsed("tolerance")
def tolerance(text: str) -> float:
    """Parse a finite number that is not negative."""
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value


class _Session:
    """Runs several checks and collects their reports."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._settings = settings_of(arguments)
        self._documents: list[dict[str, Any]] = []
        self._suites: list[CheckSuite] = []
        self._codes: list[int] = []
        self._last_complaint = ("", "")

    def check(self, offer: Offer, order: int) -> list[Offer]:
        """Run one check; print its report, or keep it for the end.

        Returns:
            What was checked; if that is the first example of a file, all of them.
        """
        from msgspec.structs import replace

        from gradviz.cli.subject import do_work
        from gradviz.protocol.messages import CheckRequest

        with temporary_trace() as path:
            request = CheckRequest(
                offer=offer, trace=str(path), settings=self._settings, order=order
            )
            try:
                done = do_work(request, limits_of(self._arguments), on_message=_on_message)
            finally:
                output.say_progress("")
            if done.problem:
                output.print_error(done.problem)
            self._conclude(replace(request, offer=done.offers[0]), done.ending)
        return list(done.offers)

    def _conclude(self, request: CheckRequest, ending: JobEnding) -> None:
        from gradviz.store.reader import open_trace

        problem = "" if ending.kind == "finished" else ending_with_option(ending)
        report, created, path = None, "", Path(request.trace)
        if path.exists():
            with open_trace(path, repair=True) as reader:
                trace = reader.trace()
                created = trace.origin.created
                if trace.reports:
                    report = trace.reports[-1]
                    both = self._arguments.order == "both"
                    self._tell(reader, report, request.settings, with_first=both)
        if report is None and not problem:
            problem = ending.sentence or say("command.no_report")
        self._keep(_name(request), request.order, created, report, problem)
        complaint = (_name(request), problem)
        # Both orders may fail with the same message.
        if problem and complaint != self._last_complaint:
            output.print_error(problem)
        self._last_complaint = complaint

    def read(self, path: Path) -> None:
        """Print the last report of each order stored in a trace, without computing anything.

        Raises:
            UsageError: If it has none, or has both orders and an output file takes only one.
        """
        from gradviz.store.reader import open_trace

        with open_trace(path, repair=True) as reader:
            origin = reader.trace().origin
            latest = {report.order: report for report in reader.trace().reports}
            if not latest:
                raise UsageError(say("command.no_checks", path=path))
            if len(latest) > 1 and _outputs_of_one(self._arguments):
                raise UsageError(say("command.both_orders", path=path))
            for order, report in sorted(latest.items()):
                self._tell(reader, report, None, with_first=1 in latest)
                self._keep(origin.subject, order, origin.created, report)

    def _keep(
        self, name: str, order: int, created: str, report: JacobianReport | None, error: str = ""
    ) -> None:
        from gradviz.export.check.junit import CheckSuite

        self._codes.append(ERROR if error or report is None else exit_code(report))
        self._suites.append(
            CheckSuite(subject=name, order=order, created=created, report=report, error=error)
        )

    def end(self) -> int:
        """Write the outputs that combine all checks; return the exit code."""
        from gradviz.export.check.junit import junit_xml

        for report in _outputs(self._arguments, _REPORT):
            with writing(report) as path:
                path.write_bytes(junit_xml(self._suites))
        if self._arguments.format == "json" and self._documents:
            one = len(self._suites) == 1
            with contextlib.suppress(BrokenPipeError):
                output.say_json(self._documents[0] if one else self._documents)
        return min(self._codes, key=_WORST_FIRST.index)

    def _tell(
        self,
        reader: TraceReader,
        report: JacobianReport,
        settings: CheckSettings | None,
        *,
        with_first: bool,
    ) -> None:
        from gradviz.export.check.json_document import check_document
        from gradviz.export.check.text import check_text

        trace = reader.trace()
        if self._arguments.format == "json":
            document = check_document(trace, report, reader.value, settings)
            self._documents.append(document)
        else:
            # A reader that closes the pipe early, like `head`, must not change the exit code.
            with contextlib.suppress(BrokenPipeError):
                if self._suites:
                    output.say("")
                lines = check_text(trace, report, reader.value, with_first=with_first)
                for line, tone in zip_longest(lines, [_TONES[exit_code(report)]]):
                    output.say(line, tone)
        self._write(reader, report)

    def _write(self, reader: TraceReader, report: JacobianReport) -> None:
        for arrays in _outputs(self._arguments, ".npz"):
            from gradviz.export.check.npz import write_npz

            with writing(arrays) as path:
                write_npz(path, report, reader.value)
        if figures := _outputs(self._arguments, *_FIGURES):
            _draw(figures, self._arguments, reader, report)


def _on_message(message: JobMessage) -> None:
    from gradviz.protocol.messages import WorkProgress

    if isinstance(message, WorkProgress) and message.done:
        done, total = format_count(message.done), format_count(message.total)
        key = "command.progress" if message.total else "command.progress.diagnosis"
        output.say_progress(say(key, done=done, total=total))


def _draw(
    figures: Sequence[Path],
    options: argparse.Namespace,
    reader: TraceReader,
    report: JacobianReport,
) -> None:
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.check.svg import check_svg
    from gradviz.export.errors import ExportError
    from gradviz.export.graph.svg_text import with_outlined_text
    from gradviz.host.svg_rendering import PictureError, write_png
    from gradviz.text.titles import with_display_title

    report = with_display_title(report, reader.trace().origin)
    try:
        svg = check_svg(report, reader.value, theme_paint(options.theme), pair=options.pair or "")
        for figure in figures:
            if figure.suffix.lower() == ".png":
                write_png(svg, figure)
                continue
            with writing(figure) as path:
                path.write_text(with_outlined_text(svg), encoding="utf-8")
    except (ExportError, PictureError) as error:
        raise UsageError(str(error)) from None


def _name(request: CheckRequest) -> str:
    subject = request.offer.subject
    return subject.text if subject.scene else f"{Path(subject.path).name}:{subject.name}"


def exit_code(report: JacobianReport) -> int:
    """Exit code of a report: 0 passed, 1 failed, 2 no result, 3 inconclusive in low precision."""
    if report.verdict == "inconclusive":
        return INCONCLUSIVE
    if not report.has_result:
        return ERROR
    return PASSED if report.passed else FAILED
