"""The cell magic ``%%gradviz`` of IPython and Jupyter."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, get_args

from gradviz.api.record import RunRecorder, record
from gradviz.catalogue.messages import say
from gradviz.model.inside import RecordingLevel
from gradviz.model.settings.byte_size import parse_size


def register_magic(shell: Any) -> None:
    """Add ``%%gradviz`` to an IPython shell."""

    def gradviz(line: str, cell: str) -> RunRecorder:
        return _record_cell(shell, line, cell)

    gradviz.__doc__ = _parser().format_help()
    shell.register_magic_function(gradviz, magic_kind="cell")


def _record_cell(shell: Any, line: str, cell: str) -> RunRecorder:
    """Run a cell in the shell and record it.

    Returns:
        The recording, which the shell displays below what the cell displays.

    Raises:
        UsageError: If the options are wrong; the shell shows it in one line.
        BaseException: What the cell raises, after its recording is displayed.
        TraceError: If the trace cannot be written.
    """
    number = _number_of_cell(shell)
    recorder = _recorder(line, say("notebook.cell", number=number))
    is_recorded = False
    shown: BaseException | None = None
    notes: list[str] = []
    try:
        with _numbered(shell, number), recorder:
            is_recorded = True
            ran = shell.run_cell(cell)
            shown = ran.error_before_exec or ran.error_in_exec
            notes += getattr(shown, "__notes__", ())
            ran.raise_error()
    except BaseException as error:
        # Otherwise an older trace of that name would be displayed.
        if is_recorded:
            data, metadata = shell.display_formatter.format(recorder)
            shell.display_pub.publish(data, metadata)
        # The shell has shown what the cell raised. Raised again, it stops the cells after this one.
        if error is shown and getattr(error, "__notes__", []) == notes:
            vars(error)["_render_traceback_"] = list
        raise
    return recorder


def _number_of_cell(shell: Any) -> int:
    """The number that the notebook shows beside the cell that is running."""
    # IPython 9 counts on before it runs a cell, older versions afterwards.
    running = shell.displayhook.exec_result
    number = None if running is None else running.execution_count
    return int(shell.execution_count if number is None else number)


@contextmanager
def _numbered(shell: Any, number: int) -> Iterator[None]:
    """Compile what is recorded under the number of its cell, which tracebacks and sources name."""
    compiler = shell.compile
    cache = compiler.cache
    compiler.cache = lambda code, _=0, raw_code=None: cache(code, number, raw_code)
    try:
        yield
    finally:
        del compiler.cache


def _recorder(line: str, title: str) -> RunRecorder:
    from IPython.core.error import UsageError

    try:
        options = vars(_parser().parse_args(_words(line)))
        return record(options.pop("output"), title=title, **options)
    except ValueError as error:
        raise UsageError(say("notebook.usage", error=error)) from None


def _words(line: str) -> list[str]:
    """The options as a shell splits them.

    Raises:
        ValueError: If a quotation mark is missing.
    """
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    if os.name == "nt":
        lexer.escape = ""  # Backslashes separate folders there.
    return list(lexer)


class _OptionParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise an exception, because a notebook cannot exit.

        Raises:
            ValueError: Always.
        """
        raise ValueError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _OptionParser(
        "%%gradviz", description=say("help.notebook"), add_help=False, allow_abbrev=False
    )
    parser.add_argument("-o", "--output", type=Path, help=say("help.notebook.output"))
    parser.add_argument(
        "--level",
        choices=get_args(RecordingLevel),
        default="all",
        help=say("help.notebook.level"),
    )
    parser.add_argument("--passes", default="", metavar="RANGE", help=say("help.notebook.passes"))
    parser.add_argument("--only", default="", metavar="PATH", help=say("help.record.only"))
    parser.add_argument("--until", default="", metavar="CONDITION", help=say("help.record.until"))
    budget, max_size = say("help.record.budget"), say("help.notebook.max_size")
    parser.add_argument("--budget", type=_size, default=256 << 20, metavar="SIZE", help=budget)
    parser.add_argument("--max-size", type=_size, metavar="SIZE", help=max_size)
    for name in ("values", "source"):
        parser.add_argument(
            f"--no-{name}",
            dest=name,
            action="store_false",
            help=say(f"help.record.no_{name}"),
        )
    return parser


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except ValueError:
        raise argparse.ArgumentTypeError(say("argument.bytes", text=text)) from None
