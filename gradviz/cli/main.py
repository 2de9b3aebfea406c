"""Entry point of the command line; every error ends in one sentence."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.errors import UsageError, check_working_directory, system_error_sentence
from gradviz.cli.parser import make_parser

OK, MISMATCH, ERROR = 0, 1, 2


def main(argv: Sequence[str]) -> int:
    """Run the command line.

    Args:
        argv: The arguments, without the program's name.

    Returns:
        The exit code: 0 for success, 1 for a mismatch, 2 for an error, and 128 plus the number of
        a signal that ended the command.
    """
    from gradviz.host.interruption import Interruption

    with Interruption() as interruption:
        try:
            check_working_directory()
            arguments = make_parser().parse(argv)
            code = int(arguments.run(arguments))
            output.finish()
            return code
        except UsageError as error:
            output.print_error(str(error))
            return ERROR
        except KeyboardInterrupt as stop:
            output.print_error(str(stop) or say("command.stopped"))
            return interruption.exit_code
        except BrokenPipeError:
            # The reader has closed the pipe, like `| head`.
            output.discard_stdout()
            return OK
        except Exception as error:
            # While PySide imports, it turns the interruption into other errors.
            if interruption.has_come:
                output.print_error(say("command.stopped"))
                return interruption.exit_code
            if (sentence := system_error_sentence(error)) is None:
                return _report_bug(error)
            output.print_error(sentence)
            return ERROR


def _report_bug(error: Exception) -> int:
    from gradviz.store.errors import TraceError

    if isinstance(error, TraceError):
        output.print_error(str(error))
        return ERROR
    if os.environ.get("GRADVIZ_DEBUG"):
        output.print_error(traceback.format_exc())
    frame = traceback.extract_tb(error.__traceback__)[-1]
    kind, function = type(error).__name__, frame.name
    output.print_error(
        say("command.bug", kind=kind, error=error, function=function, line=frame.lineno)
    )
    return ERROR
