"""``gradviz record``: a run in a child process that writes its trace."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from gradviz.catalogue.messages import say, say_count
from gradviz.cli import output, record_program
from gradviz.cli.arguments import RUN_OPTIONS, TRACE_LIMITS, VerbArguments, parsed, size_in_bytes
from gradviz.cli.errors import UsageError, check_output
from gradviz.cli.limit_options import ending_with_option, limits_of
from gradviz.cli.traces import STANDARD_STREAM, temporary_trace

if TYPE_CHECKING:
    from gradviz.host.job_ending import JobEnding
    from gradviz.model.settings.recording_scope import PassRange
    from gradviz.store.reader import TraceReader


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    from gradviz.model.inside import RecordingLevel

    add.parser.usage = say("help.record.usage")
    add.parser.epilog = say("help.record.programs")
    group = add.parser.add_mutually_exclusive_group(required=True)
    add("target", to=group, nargs="?", metavar="SCRIPT.py|SCENE|FILE.py:NAME")
    text = say("help.record.module")
    add("-m", to=group, dest="module", metavar="MODULE", help=text)
    add.each(*RUN_OPTIONS)
    add.output()
    add("--level", choices=get_args(RecordingLevel), default="nodes")
    add("--budget", type=size_in_bytes, default=256 << 20, metavar="SIZE")
    add("--passes", type=_passes, metavar="RANGE")
    add("--only", metavar="PATH")
    add("--until", type=_until, metavar="CONDITION")
    add.each(*TRACE_LIMITS)
    add.limits()
    for name in ("values", "source"):
        add(f"--no-{name}", dest=name, action="store_false")


def run(arguments: argparse.Namespace) -> int:
    """Record a run; a failed run still leaves its trace, and the exit code is 2.

    An existing trace is replaced when the run has ended; any other existing file is rejected. A
    script or module runs as a program, with an exit code of its own.
    """
    if record_program.is_program(arguments):
        _refuse_limits(arguments)
    else:
        _refuse_program_options(arguments)
    if str(arguments.output) == STANDARD_STREAM:
        if record_program.is_program(arguments):
            raise UsageError(say("command.program.stdout"))
        output.check_binary()
        with temporary_trace() as path:
            try:
                _record(arguments, path, shown=say("command.stdout"))
            finally:
                if path.exists():
                    output.say_file(path)
        return 0
    if arguments.output is not None:
        check_output(arguments.output)
    if record_program.is_program(arguments):
        return record_program.run(arguments)
    path, count = _record(arguments, arguments.output)
    output.say(say_count("command.recorded", count, path=path))
    return 0


def _refuse_limits(arguments: argparse.Namespace) -> None:
    given = {
        "--time-limit": arguments.time_limit,
        "--memory-limit": arguments.memory_limit,
        "--output-limit": arguments.output_limit,
    }
    for option, value in given.items():
        if value is not None:
            raise UsageError(say("command.program.limit", option=option))


def _refuse_program_options(arguments: argparse.Namespace) -> None:
    options = {
        "--until": arguments.until is not None,
        "--only": arguments.only is not None,
        "--no-values": not arguments.values,
        "--no-source": not arguments.source,
    }
    for option, is_given in options.items():
        if is_given:
            raise UsageError(say("command.program.option", option=option))


def _record(
    arguments: argparse.Namespace, wanted: Path | None, shown: str = ""
) -> tuple[Path, int]:
    """Record a scene or an entry of a file.

    Args:
        arguments: What to record, and how.
        wanted: The trace; None for a new one in the working directory.
        shown: Its name in an error; empty for its path.

    Returns:
        The trace and the number of steps.

    Raises:
        UsageError: If the run failed; what was recorded is in the trace.
    """
    from gradviz.cli.subject import do_work, unread_offer, with_run_options
    from gradviz.model.settings.recording_scope import SAMPLED_PASSES
    from gradviz.model.trace import Outcome
    from gradviz.protocol.messages import RunRequest
    from gradviz.store.output import choose_output, finish_output
    from gradviz.store.run_ending import store_outcome
    from gradviz.text.scope import scope_sentences

    limits = limits_of(arguments)
    offer = with_run_options(unread_offer(arguments.target), arguments)
    stem = offer.subject.scene or offer.subject.name
    path, aside = choose_output(wanted, stem)
    request = RunRequest(
        offer=offer,
        trace=str(aside.absolute()),
        level=arguments.level,
        budget_bytes=arguments.budget,
        passes=arguments.passes or SAMPLED_PASSES,
    )
    ending = None
    try:
        ending = do_work(request, limits, meanwhile=_import_reader).ending
    except KeyboardInterrupt:
        store_outcome(
            aside, Outcome(kind="stopped", message=say("ending.cancelled"), duration_ns=0)
        )
    else:
        if ending.kind != "finished":
            store_outcome(aside, ending.outcome)
    finally:
        with _explained_by(ending):
            written = finish_output(aside, path)
    if ending is None:
        raise KeyboardInterrupt(say("command.stopped.part", path=shown or path) if written else "")
    if not written:
        raise UsageError(ending.sentence or say("command.not_recorded", path=shown or path))
    with _explained_by(ending), _import_reader()(path, repair=True) as reader:
        count = len(reader.trace().steps)
        for sentence in scope_sentences(reader.scope()):
            output.print_note(sentence)
    if ending.kind != "finished":
        raise UsageError(
            say("command.recorded_part", reason=ending_with_option(ending), path=shown or path)
        )
    return path, count


@contextmanager
def _explained_by(ending: JobEnding | None) -> Iterator[None]:
    """Say why a run failed, and not what that has left of its trace."""
    from gradviz.store.errors import TraceError

    try:
        yield
    except TraceError:
        if ending is None or ending.kind == "finished":
            raise
        raise UsageError(ending_with_option(ending)) from None


def _import_reader() -> Callable[..., TraceReader]:
    """Import what opens the trace; takes a while, so do it while the child imports torch."""
    from gradviz.store.reader import open_trace

    return open_trace


def split_program(
    parser: argparse.ArgumentParser, words: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Split the words of `record` behind a script or module: what follows are its arguments.

    Args:
        parser: The parser of `record`.
        words: The words of the command.
    """
    actions: Mapping[str, argparse.Action] = vars(parser)["_option_string_actions"]
    rest = iter(range(1, len(words)))
    for place in rest:
        word = words[place]
        if word == "-m":
            return list(words[: place + 2]), list(words[place + 2 :])
        if not word.startswith("-"):
            if record_program.is_script(word):
                return list(words[: place + 1]), list(words[place + 1 :])
        elif word in actions and actions[word].nargs is None:
            # Its value is the next word.
            next(rest, None)
    return list(words), []


@parsed("passes")
def _passes(text: str) -> PassRange:
    from gradviz.model.settings.recording_scope import parse_pass_range

    return parse_pass_range(text)


@parsed("until")
def _until(text: str) -> str:
    from gradviz.model.settings.stop_condition import parse_stop_condition

    parse_stop_condition(text)
    return text
