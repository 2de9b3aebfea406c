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
import threading
import traceback
import types
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType, TracebackType
from typing import Any

from gradviz.catalogue.language import load_language_of
from gradviz.catalogue.messages import say
from gradviz.model.codec import decode
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.recorder.patching.signals import HANDLERS
from gradviz.recorder.user_traceback import (
    hide_our_calls,
    hide_our_frames,
    hide_our_frames_in_chain,
    skip_outer_frames,
    traceback_of,
)
from gradviz.worker.guard import die_with_parent
from gradviz.worker.program.main_module import new_main, run_as_main
from gradviz.worker.program.program_recording import ProgramRecording


def hide_our_frames_when_shown() -> None:
    """Make Python's ``traceback`` module and its message for threads leave out our frames."""
    vars(traceback)["walk_stack"] = _walking(traceback.walk_stack)
    vars(traceback)["extract_tb"] = _extracting(traceback.extract_tb)
    shown: Any = traceback.TracebackException
    shown.__init__ = _showing(shown.__init__)
    threading.excepthook = _ending(threading.excepthook)


def _walking(original: Callable[[FrameType | None], Any]) -> Callable[[FrameType | None], Any]:
    def walk_stack(f: FrameType | None) -> Any:
        # Without a frame, the original counts the frames of its callers.
        if f is None:
            return original(f)
        return reversed(hide_our_calls(list(original(f))[::-1]))

    return walk_stack


def _extracting(original: Callable[..., Any]) -> Callable[..., Any]:
    def extract_tb(tb: TracebackType | None, limit: int | None = None) -> Any:
        return original(hide_our_frames(tb), limit)

    return extract_tb


def _showing(original: Callable[..., None]) -> Callable[..., None]:
    # It calls itself for the exceptions that this one was raised from.
    def init(
        self: Any, exc_type: Any, exc_value: Any, exc_traceback: Any, *args: Any, **kwargs: Any
    ) -> None:
        original(self, exc_type, exc_value, hide_our_frames(exc_traceback), *args, **kwargs)

    return init


def _ending(original: Callable[..., object]) -> Callable[..., object]:
    def excepthook(args: Any) -> object:
        if args.exc_value is None:
            return original(args)
        hide_our_frames_in_chain(args.exc_value)
        shown = (args.exc_type, args.exc_value, traceback_of(args.exc_value), args.thread)
        return original(type(args)(shown))

    return excepthook


def call_after_torch_import(action: Callable[[], None]) -> None:
    """Call a function once, at the end of the first ``import torch``; now if that has happened."""
    if "torch" in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, _TorchFinder(action))


class _TorchFinder:
    """Finds torch as Python would, with a loader that calls the function after it."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action = action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of torch; None for any other module."""
        if fullname != "torch":
            return None
        # Not every search is followed by an import, so this finder stays until torch is loaded.
        for finder in [each for each in sys.meta_path if each is not self]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                self._follow(spec)
                return spec
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        loader = spec.loader
        load = getattr(loader, "exec_module", None)
        if load is None:
            return

        def exec_module(module: ModuleType) -> None:
            # The loader is part of the module that the program sees.
            vars(loader).pop("exec_module", None)
            # A finder of the program that searches again has made this loader follow twice.
            is_outermost = self in sys.meta_path
            if is_outermost:
                sys.meta_path.remove(self)
            load(module)
            if is_outermost:
                self._action()

        vars(loader)["exec_module"] = exec_module


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
    hide_our_frames_when_shown()
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


def _bug_sentence(error: BaseException) -> str:
    """What to say of an exception that the recorder has raised into the program, or nothing."""
    # Before the program imports torch, nothing is recorded.
    if "torch" not in sys.modules:
        return ""
    from gradviz.recorder.own_errors import is_bug
    from gradviz.recorder.run_errors import exception_sentence

    return say("recording.bug", error=exception_sentence(error)) if is_bug(error) else ""


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
    show: Callable[[type[BaseException], BaseException, types.TracebackType | None], object],
) -> Callable[[type[BaseException], BaseException, types.TracebackType | None], object]:
    def excepthook(
        kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None
    ) -> None:
        BaseException.with_traceback(error, skip_outer_frames(traceback))
        bug = _bug_sentence(error)
        if not bug:
            hide_our_frames_in_chain(error)
        show(kind, error, traceback_of(error))
        if bug and sys.stderr is not None:
            sys.stderr.writelines((bug, "\n"))

    return excepthook
