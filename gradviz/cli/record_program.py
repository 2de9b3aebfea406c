"""``gradviz record script.py``: a program as Python would run it, and its trace."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from gradviz.catalogue.messages import say, say_count
from gradviz.cli import output
from gradviz.cli.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Record a program; the exit code is its own.

    Nothing is printed to its stdout. What is printed to stderr goes to a terminal only, except
    when the program has been killed or has left no trace.
    """
    from gradviz.host.program import RecordedProgram, end_like, run_program
    from gradviz.store.output import choose_output

    if arguments.device is not None:
        raise UsageError(say("command.program.device"))
    if arguments.module is None and not Path(arguments.target).is_file():
        raise UsageError(say("command.no_file", path=arguments.target))
    program = RecordedProgram(
        name=arguments.module or arguments.target,
        is_module=arguments.module is not None,
        arguments=tuple(arguments.arguments),
    )
    stem = program.name if program.is_module else Path(program.name).stem
    path, aside = choose_output(arguments.output, stem)
    code = run_program(program, trace=aside, level=arguments.level, budget_bytes=arguments.budget)
    _report(program.name, aside, path, code)
    return end_like(code)


def _report(name: str, aside: Path, path: Path, code: int) -> None:
    """Turn what was written into the trace, and say where it is."""
    from gradviz.store.output import discard_output, finish_output

    count = _count_steps(aside)
    if count:
        finish_output(aside, path)
        text = say_count(
            "command.program.recorded", count, path=path, quoted=shlex.quote(str(path))
        )
        is_needed = code < 0
    else:
        discard_output(aside)
        text = say("command.program.nothing", program=name)
        # A program that has failed has said why.
        is_needed = code <= 0
    if is_needed or (sys.stderr is not None and sys.stderr.isatty()):
        output.print_error(text)


def _count_steps(path: Path) -> int:
    """How many steps a trace has; 0 if it does not exist or has no more than an exception."""
    from gradviz.model.step import ErrorStep
    from gradviz.store.reader import open_trace

    if not path.exists() or path.stat().st_size == 0:
        return 0
    with open_trace(path, repair=True) as reader:
        steps = reader.trace().steps
    return len(steps) if any(not isinstance(each, ErrorStep) for each in steps) else 0


def is_program(arguments: argparse.Namespace) -> bool:
    """Whether the command names a program, not a scene or an entry of a file's ``EXAMPLES``."""
    return arguments.module is not None or is_script(arguments.target or "")


def is_script(word: str) -> bool:
    """Whether an argument is a script; ``FILE.py:NAME`` is an entry of ``EXAMPLES``."""
    from gradviz.cli.subject import is_scene

    return word.endswith(".py") or (os.path.isfile(word) and not is_scene(word))
