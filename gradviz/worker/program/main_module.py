"""Execution of a Python file as the main module, as ``python FILE`` does it."""

from __future__ import annotations

import builtins
import importlib.machinery
import os
import pkgutil
import runpy
import sys
import types
from collections.abc import Callable, Sequence


def run_as_main(path: str, arguments: Sequence[str]) -> None:
    """Run a file as ``__main__``, with its own ``sys.argv`` and its folder on ``sys.path``.

    Of a folder or a zip file, its ``__main__.py`` runs.

    Raises:
        OSError: If it cannot be read.
        BaseException: What it raises, ``SystemExit`` included.
    """
    full_path = os.path.abspath(path)
    sys.argv[:] = [path, *arguments]
    sys.orig_argv[:] = [sys.executable, *sys.argv]
    if pkgutil.get_importer(path) is not None:
        # A folder or a zip file, which Python puts on the path whatever its flags say.
        sys.path.insert(0, full_path)
        new_main()
        _run_main_of_path()
        return
    if not sys.flags.safe_path:
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    module = new_main()
    module.__file__ = full_path
    module.__loader__ = importlib.machinery.SourceFileLoader("__main__", full_path)
    vars(module)["__cached__"] = None
    with open(full_path, "rb") as file:
        code = compile(file.read(), full_path, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def _run_main_of_path() -> None:
    # What Python itself calls; the public function leaves other frames in a traceback.
    run_module: Callable[[str, bool], object] = vars(runpy)["_run_module_as_main"]
    run_module("__main__", False)


def new_main() -> types.ModuleType:
    """Replace ``__main__`` by an empty module; pickle and multiprocessing look there too."""
    module = types.ModuleType("__main__")
    vars(module).update(__builtins__=builtins, __annotations__={})
    sys.modules["__main__"] = module
    return module
