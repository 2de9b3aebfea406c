"""Entry point of a child process that runs a user's program and records what autograd does in it.

The program owns stdin, stdout, stderr and the exit code. Recording begins when it imports torch, so
that a program can still configure torch first, with environment variables.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import shlex
import sys
from collections.abc import Callable
from types import TracebackType

from gradviz.catalogue.language import load_language_of
from gradviz.catalogue.messages import say
from gradviz.model.codec import decode
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.recorder.patching.signals import HANDLERS
from gradviz.recorder.user_traceback import (
    hide_our_frames_in_chain,
    skip_outer_frames,
    traceback_of,
)
from gradviz.worker.guard import die_with_parent
from gradviz.worker.program.main_module import new_main, run_as_main
from gradviz.worker.program.program_recording import ProgramRecording
from gradviz.worker.program.shown_tracebacks import hide_our_frames_when_shown
from gradviz.worker.program.torch_import import call_after_torch_import


def main() -> None:
    """Run a program as ``python`` would; exceptions and ``sys.exit`` end the process alike.

    ``sys.argv`` holds the folder of this package, which the caller has appended to ``sys.path``,
    the trace, the recording level, the budget in bytes, the scope as JSON, ``script`` or
    ``module``, the path or name of the program, and the program's own arguments.
    """
    _, _, trace, level, budget, scope, kind, name, *arguments = sys.argv
    # Submodules of this package are found without it.
    del sys.path[-1]
    load_language_of(os.environ)
    die_with_parent()
    run = _run_module if kind == "module" else run_as_main
    subject = f"-m {name}" if kind == "module" else os.path.basename(name)
    title = f"{subject} {shlex.join(arguments)}".rstrip()
    recording = ProgramRecording(
        trace,
        level=level,
        budget_bytes=int(budget),
        scope=decode(RecordingScope, json.loads(scope)),
        title=title,
        subject=subject,
    )
    # Before the program registers any: handlers run in reverse order, and its own may use torch.
    atexit.register(recording.end)
    call_after_torch_import(recording.begin)
    hide_our_frames_when_shown(_is_bug)
    # Before the program sets any handler.
    HANDLERS.install()
    try:
        run(name, arguments)
    except SystemExit as error:
        if error.code:
            recording.end(_without_outer_frames(error))
        raise
    except BaseException as error:
        recording.end(_without_outer_frames(error))
        # Python prints the exception after this frame has added itself to the traceback.
        sys.excepthook = _hiding_our_frames(sys.excepthook)
        raise


def _without_outer_frames(error: BaseException) -> BaseException:
    return BaseException.with_traceback(error, skip_outer_frames(traceback_of(error)))


def _is_bug(error: BaseException) -> bool:
    """Whether the recorder has raised an exception into the program."""
    # Nothing is recorded before torch is imported; the module must not be found half imported.
    if "gradviz.recorder.own_errors" not in sys.modules:
        return False
    from gradviz.recorder.own_errors import is_bug

    return is_bug(error)


def _bug_sentence(error: BaseException) -> str:
    from gradviz.recorder.run_errors import exception_sentence

    return say("recording.bug", error=exception_sentence(error))


def _run_module(name: str, arguments: list[str]) -> None:
    sys.argv[:] = ["-m", *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", name, *arguments]
    if not sys.flags.safe_path:
        sys.path.insert(0, os.getcwd())
    new_main()
    # What Python itself calls for -m; the public function leaves other frames in a traceback.
    run_module: Callable[[str], object] = vars(runpy)["_run_module_as_main"]
    run_module(name)


def _hiding_our_frames(
    show: Callable[[type[BaseException], BaseException, TracebackType | None], object],
) -> Callable[[type[BaseException], BaseException, TracebackType | None], object]:
    def excepthook(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        BaseException.with_traceback(error, skip_outer_frames(traceback))
        is_bug = _is_bug(error)
        if not is_bug:
            hide_our_frames_in_chain(error)
        show(kind, error, traceback_of(error))
        if is_bug and sys.stderr is not None:
            sys.stderr.writelines((_bug_sentence(error), "\n"))

    return excepthook
