"""Execution of a Python file as the main module, as ``python FILE`` does it."""

from __future__ import annotations

import builtins
import importlib.machinery
import os
import sys
import types
from collections.abc import Sequence


def run_as_main(path: str, arguments: Sequence[str]) -> None:
    """Run a file as ``__main__``, with its own ``sys.argv`` and its folder on ``sys.path``.

    Raises:
        OSError: If it cannot be read.
        BaseException: What it raises, ``SystemExit`` included.
    """
    full_path = os.path.abspath(path)
    sys.argv[:] = [path, *arguments]
    sys.orig_argv[:] = [sys.executable, *sys.argv]
    if not sys.flags.safe_path:
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    module = new_main()
    module.__file__ = full_path
    module.__loader__ = importlib.machinery.SourceFileLoader("__main__", full_path)
    vars(module)["__cached__"] = None
    with open(full_path, "rb") as file:
        code = compile(file.read(), full_path, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def new_main() -> types.ModuleType:
    """Replace ``__main__`` by an empty module; pickle and multiprocessing look there too."""
    module = types.ModuleType("__main__")
    vars(module).update(__builtins__=builtins, __annotations__={})
    sys.modules["__main__"] = module
    return module
