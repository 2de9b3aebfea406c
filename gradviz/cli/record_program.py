"""``gradviz record script.py``: a program as Python would run it, and its trace."""

from __future__ import annotations

import argparse
import errno
import os
import shlex
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say, say_count
from gradviz.cli import output
from gradviz.cli.arguments import RUN_OPTIONS
from gradviz.cli.errors import UsageError, check_file

if TYPE_CHECKING:
    from gradviz.host.program import RecordedProgram
    from gradviz.model.settings.recording_scope import RecordingScope
    from gradviz.store.reader import TraceReader

_NOT_RECORDED = 2


def run(arguments: argparse.Namespace) -> int:
    """Record a program; the exit code is its own, or 2 if only the recording failed.

    Nothing is printed to its stdout. After its end, what was found and where it was recorded is
    printed to stderr, also into a pipe or a file, where people and scripts look for it.
    """
    from gradviz.host.interruption import DeferredSignals
    from gradviz.host.program import RecordedProgram, end_like, run_program
    from gradviz.store.output import choose_output
    from gradviz.store.output_lock import unlock_output

    for option in RUN_OPTIONS:
        if getattr(arguments, option[2:].replace("-", "_")) is not None:
            raise UsageError(say("command.program.run_option", option=option))
    if arguments.module is None:
        _refuse_other_files(arguments.target)
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
    # Absolute, as the program may remove the working directory.
    recording = _Recording(
        program=program, path=path, place=path.absolute(), aside=aside.absolute()
    )
    was_there = aside.exists()
    try:
        # The program gets the signals; after its end, they wait for the trace.
        with DeferredSignals():
            code = run_program(
                program,
                trace=recording.aside,
                level=arguments.level,
                budget_bytes=arguments.budget,
                scope=scope,
            )
            is_recorded = recording.finish(code, was_there=was_there)
    finally:
        unlock_output(recording.place)
    # A launcher of distributed programs would end the other ranks, too.
    if code == 0 and not is_recorded and scope.rank is None:
        return _NOT_RECORDED
    return end_like(code)


def _refuse_other_files(target: str) -> None:
    """Refuse what Python would not run, and name the command for it."""
    from gradviz.store.file_kind import kind_of
    from gradviz.store.header import read_header

    path = Path(target)
    if _is_main_folder(path):
        return
    check_file(path)
    kind = kind_of(path)
    if kind == "trace":
        read_header(path)
        raise UsageError(say("command.recorded", path=target))
    if kind == "notebook":
        raise UsageError(say("command.notebook", path=target))
    if kind == "lesson":
        raise UsageError(say("command.lesson", path=target))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recording:
    """The recording of a program.

    Attributes:
        program: The program.
        path: The trace, as people see it.
        place: The same, as an absolute path.
        aside: The file that the program's process writes.
    """

    program: RecordedProgram
    path: Path
    place: Path
    aside: Path

    def finish(self, code: int, *, was_there: bool) -> bool:
        """Turn what was written into the trace, and say where it is.

        Args:
            code: How the program ended, as `run_program` returns it.
            was_there: Whether the file existed before.

        Returns:
            Whether everything that should be recorded is in the trace.
        """
        from gradviz.store.errors import TraceError

        failure = self._take_failure()
        try:
            if failure is None:
                self._refuse_missing(was_there=was_there)
            self._store_ending(code, failure)
            self._report(code, has_failed=failure is not None)
        except TraceError as error:
            # The program's process has said what has happened to its trace.
            if failure is None:
                output.print_error(str(error))
            return False
        return failure is None

    def _take_failure(self) -> str | None:
        """What the program's process has said about a failure of the recording; None if nothing."""
        from gradviz.store.header import failure_path

        note = failure_path(self.aside)
        try:
            text = note.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return None
        note.unlink()
        # A full disk has room for the note, and none for its text.
        return text or say("command.program.unwritten")

    def _refuse_missing(self, *, was_there: bool) -> None:
        """Notice what the program's process could not leave a note of.

        Raises:
            TraceError: If the trace or its folder was removed.
        """
        from gradviz.store.errors import TraceError

        if not self.aside.parent.exists():
            reason = os.strerror(errno.ENOENT)
            raise TraceError(say("file.not_written", path=self.path, reason=reason))
        if was_there and not self.aside.exists():
            raise TraceError(say("file.removed", path=self.path))

    def _store_ending(self, code: int, failure: str | None) -> None:
        """Store why the recording ended, if the program's process could not do it."""
        from gradviz.host.ending_diagnosis import EndedChild, diagnose_ending
        from gradviz.model.trace import Outcome
        from gradviz.store.run_ending import store_outcome

        if failure is not None:
            outcome = Outcome(kind="stopped", message=failure, duration_ns=0)
        else:
            facts = EndedChild(code=code, cancelled=code == -signal.SIGINT)
            outcome = diagnose_ending(facts).outcome
        store_outcome(self.aside, outcome)

    def _report(self, code: int, *, has_failed: bool) -> None:
        from gradviz.store.output import discard_output, finish_output
        from gradviz.text.phrases import size_text

        lines, recorded = _facts(self.program, self.aside)
        passed = _passed_on(self.program)
        if recorded:
            finish_output(self.aside, self.place)
            text = say(
                "command.program.recorded",
                **recorded,
                size=size_text(self.place.stat().st_size),
                path=self.path,
                quoted=shlex.quote(str(self.path)),
            )
            lines = (*lines, *passed, text)
        else:
            discard_output(self.aside, self.place)
            # A program that has failed has said why, and so has a recorder.
            lines = passed if has_failed or code > 0 else (*lines, *passed)
        for line in lines:
            output.print_note(line)


def _passed_on(program: RecordedProgram) -> tuple[str, ...]:
    """Say which options of ours stand behind the program, which gets them, with their values."""
    words = program.arguments
    passed: list[str] = []
    for at, word in enumerate(words):
        if word.partition("=")[0] in (*_WITH_VALUE, *_FLAGS):
            passed += words[at : at + 2] if word in _WITH_VALUE else (word,)
    if not passed:
        return ()
    options = " ".join(passed)
    return (say("command.program.passed", program=program.name, options=options),)


_WITH_VALUE = ("--passes", "--only", "--until", "--level", "--budget", "--max-size", "-o")
_FLAGS = ("--no-values", "--no-source")


def _facts(program: RecordedProgram, path: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """What to say about a trace, and how much was recorded; empty if it is not worth keeping."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.steps.text import origin_text
    from gradviz.model.settings.recording_scope import ALL_PASSES
    from gradviz.model.step import ErrorStep, PassBeginStep, PassEndStep
    from gradviz.store.reader import open_trace
    from gradviz.text.found_problems import problem_lines
    from gradviz.text.scope import range_text, scope_sentences
    from gradviz.text.sentences.values import count_text

    name = program.name
    if not path.exists() or path.stat().st_size == 0:
        return (_nothing(program),), {}
    with open_trace(path, repair=True) as reader:
        counts, scope = reader.step_counts(), reader.scope()
        # Passes are recorded even if nothing happens in them that is to be recorded.
        empty = (ErrorStep, PassBeginStep, PassEndStep) if scope.only else (ErrorStep,)
        if counts.keys() - {each.__name__ for each in empty} or (
            not scope.only and _is_refused(reader)
        ):
            lines = (*scope_sentences(scope), *problem_lines(reader.trace().findings))
            if scope.stopped in ("nan", "inf"):
                found = origin_text(index_reader(reader), scope.stopped)
                # The lines after a sentence are the path from there to the first such tensor.
                lines = (*lines, *(each for each in found if not each.startswith(" ")))
            return lines, {
                "steps": count_text("step", counts.total()),
                "passes": count_text("pass", counts[PassBeginStep.__name__]),
            }
    if scope.run_passes and scope.passes != ALL_PASSES and not scope.passes.is_sampled:
        wanted = range_text(scope.passes)
        text = say_count("command.program.no_pass", scope.run_passes, program=name, passes=wanted)
        return (text,), {}
    if scope.only and counts:
        return (say("command.program.no_call", program=name, path=scope.only),), {}
    return (_nothing(program),), {}


def _nothing(program: RecordedProgram) -> str:
    """Say that a program has done nothing to record, and what in its file can be recorded."""
    from gradviz.cli.subject import entry_advice, file_of_module
    from gradviz.text.punctuation import join_sentences

    path = file_of_module(program.name) if program.is_module else Path(program.name)
    advice = "" if path is None else entry_advice(program.name, path, "command.entries.record")
    return join_sentences((say("command.program.nothing", program=program.name), advice))


def _is_refused(reader: TraceReader) -> bool:
    """Whether the program ended with an error in a call of torch."""
    from gradviz.model.step import ErrorStep

    steps = reader.trace().steps
    return any(isinstance(each, ErrorStep) and each.stage != "outside" for each in steps)


def scope_of(arguments: argparse.Namespace) -> RecordingScope:
    """Which part of the program to record."""
    from gradviz.model.settings.rank import rank_in
    from gradviz.model.settings.recording_scope import (
        ALL_PASSES,
        DEFAULT_MAX_BYTES,
        SAMPLED_PASSES,
        RecordingScope,
    )

    # What leads to a condition would be missing in a sample.
    default = ALL_PASSES if arguments.until else SAMPLED_PASSES
    return RecordingScope(
        passes=arguments.passes or default,
        until=arguments.until or "",
        max_bytes=DEFAULT_MAX_BYTES if arguments.max_size is None else arguments.max_size,
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

    is_there = os.path.isfile(word) or _is_main_folder(Path(word))
    return word.endswith(".py") or (is_there and not is_scene(word))


def _is_main_folder(path: Path) -> bool:
    """Whether Python runs a folder."""
    return (path / "__main__.py").is_file()
