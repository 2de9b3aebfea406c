"""The cell magic ``%%gradviz`` of IPython and Jupyter."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NoReturn, get_args

from gradviz.api.record import RunRecorder, record
from gradviz.catalogue.messages import say
from gradviz.model.inside import RecordingLevel


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
        BaseException: What the cell raises, after its recording is displayed.
        TraceError: If the trace cannot be written.
    """
    options = _parser().parse_args(line.split())
    title = say("notebook.cell", number=shell.execution_count)
    recorder = record(options.output, level=options.level, passes=options.passes, title=title)
    is_recorded = False
    shown: BaseException | None = None
    notes: list[str] = []
    try:
        with recorder:
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


class _OptionParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise an exception, because a notebook cannot exit.

        Raises:
            ValueError: Always.
        """
        raise ValueError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _OptionParser("%%gradviz", description=say("help.notebook"), add_help=False)
    parser.add_argument("-o", "--output", type=Path, help=say("help.notebook.output"))
    parser.add_argument(
        "--level",
        choices=get_args(RecordingLevel),
        default="all",
        help=say("help.notebook.level"),
    )
    parser.add_argument("--passes", default="", help=say("help.notebook.passes"))
    return parser
