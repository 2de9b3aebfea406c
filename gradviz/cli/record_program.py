"""``gradviz record script.py``: a program as Python would run it, and its trace."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say, say_count
from gradviz.cli import output
from gradviz.cli.errors import UsageError, check_file

if TYPE_CHECKING:
    from gradviz.model.settings.recording_scope import RecordingScope


def run(arguments: argparse.Namespace) -> int:
    """Record a program; the exit code is its own.

    Nothing is printed to its stdout. What is printed to stderr goes to a terminal only, except
    when the program has been killed or has left no trace.
    """
    from gradviz.cli.subject import run_options
    from gradviz.host.program import RecordedProgram, end_like, run_program
    from gradviz.store.output import choose_output

    for option, value in run_options(arguments).items():
        if value is not None:
            raise UsageError(say("command.program.run_option", option=option))
    if arguments.module is None:
        check_file(Path(arguments.target))
    if arguments.module is None and arguments.target.endswith(".ipynb"):
        raise UsageError(say("command.notebook", path=arguments.target))
    program = RecordedProgram(
        name=arguments.module or arguments.target,
        is_module=arguments.module is not None,
        arguments=tuple(arguments.arguments),
    )
    scope = scope_of(arguments)
    wanted = arguments.output
    stem = program.name if program.is_module else Path(program.name).stem
    if wanted is not None and scope.rank is not None:
        wanted = wanted.with_stem(wanted.stem + scope.rank.suffix)
    path, aside = choose_output(wanted, stem, scope.rank)
    code = run_program(
        program,
        trace=aside,
        level=arguments.level,
        budget_bytes=arguments.budget,
        scope=scope,
    )
    _report(program.name, aside, path, code)
    return end_like(code)


def _report(name: str, aside: Path, path: Path, code: int) -> None:
    """Turn what was written into the trace, and say where it is."""
    from gradviz.store.header import failure_path
    from gradviz.store.output import discard_output, finish_output
    from gradviz.text.phrases import size_text

    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    has_failed = failure_path(aside).exists()
    failure_path(aside).unlink(missing_ok=True)
    lines, recorded = _facts(name, aside, explain=is_terminal)
    if recorded:
        finish_output(aside, path)
        text = say(
            "command.program.recorded",
            **recorded,
            size=size_text(path.stat().st_size),
            path=path,
            quoted=shlex.quote(str(path)),
        )
        lines = (*lines, text)
        is_needed = code < 0
    else:
        discard_output(aside, path)
        # A program that has failed has said why, and so has a recorder.
        is_needed = code <= 0
        lines = () if has_failed else lines
    if is_needed or is_terminal:
        for line in lines:
            output.print_note(line)


def _facts(name: str, path: Path, *, explain: bool) -> tuple[tuple[str, ...], dict[str, str]]:
    """What to say about a trace, and how much was recorded; empty if it is not worth keeping."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.steps.origin_text import origin_text
    from gradviz.model.settings.recording_scope import ALL_PASSES
    from gradviz.model.step import ErrorStep, PassBeginStep, PassEndStep
    from gradviz.store.reader import open_trace
    from gradviz.text.scope import range_text, scope_sentences
    from gradviz.text.sentences.values import count_text

    nothing = (say("command.program.nothing", program=name),)
    if not path.exists() or path.stat().st_size == 0:
        return nothing, {}
    with open_trace(path, repair=True) as reader:
        counts, scope = reader.step_counts(), reader.scope()
        # Passes are recorded even if nothing happens in them that is to be recorded.
        empty = (ErrorStep, PassBeginStep, PassEndStep) if scope.only else (ErrorStep,)
        if counts.keys() - {each.__name__ for each in empty}:
            lines = scope_sentences(scope)
            if explain and (scope.stopped == "nan" or scope.stopped == "inf"):
                found = origin_text(index_reader(reader), scope.stopped)
                # The lines after a sentence are the path from there to the first such tensor.
                lines = (*lines, *(each for each in found if not each.startswith(" ")))
            return lines, {
                "steps": count_text("step", counts.total()),
                "passes": count_text("pass", counts[PassBeginStep.__name__]),
            }
    if scope.run_passes and scope.passes != ALL_PASSES:
        wanted = range_text(scope.passes)
        text = say_count("command.program.no_pass", scope.run_passes, program=name, passes=wanted)
        return (text,), {}
    if scope.only and counts:
        return (say("command.program.no_call", program=name, path=scope.only),), {}
    return nothing, {}


def scope_of(arguments: argparse.Namespace) -> RecordingScope:
    """Which part of the program to record."""
    from gradviz.model.settings.rank import rank_in
    from gradviz.model.settings.recording_scope import RecordingScope

    return RecordingScope(
        passes=arguments.passes,
        until=arguments.until or "",
        max_bytes=arguments.max_size,
        only=arguments.only or "",
        values=arguments.values,
        source=arguments.source,
        rank=rank_in(os.environ),
    )


def is_program(arguments: argparse.Namespace) -> bool:
    """Whether the command names a program, not a scene or an entry of a file's ``EXAMPLES``."""
    return arguments.module is not None or is_script(arguments.target or "")


def is_script(word: str) -> bool:
    """Whether an argument is a script; ``FILE.py:NAME`` is an entry of ``EXAMPLES``."""
    from gradviz.cli.subject import is_scene

    return word.endswith(".py") or (os.path.isfile(word) and not is_scene(word))
