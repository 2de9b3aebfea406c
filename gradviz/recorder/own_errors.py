"""Whose error an exception is: the user's, or a bug in gradviz."""

from __future__ import annotations

import os
import traceback
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from gradviz.recorder.asynchronous_errors import is_asynchronous
from gradviz.recorder.compat import gradients_of
from gradviz.recorder.error_boundary import safe_exception_text
from gradviz.recorder.patching.signals import is_calling_user_code
from gradviz.recorder.sources import PACKAGE_FOLDERS, PYTHON_FOLDERS, is_gradviz
from gradviz.recorder.user_traceback import entries_of, traceback_of

_module: Any = vars(type)["__module__"]
_PACKAGE = Path(__file__).parents[1]
_TORCH = f"{Path(torch.__file__).parent}{os.sep}"
_PYTHON = tuple(each + os.sep for each in PYTHON_FOLDERS)
_INSTALLED = tuple(each + os.sep for each in PACKAGE_FOLDERS)
# They belong to the function that contains or calls them; `gradients_of` stands for one of torch.
_PARTS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", gradients_of.__name__)
# A warning is raised only if the user's filters say so.
_NEVER = (MemoryError, RecursionError, torch.OutOfMemoryError, Warning)
# Torch has no class for this.
_NO_MEMORY = "DefaultCPUAllocator"


def is_own_error(error: BaseException) -> bool:
    """Whether an exception is gradviz's own: not the user's, and not a lack of memory.

    What a signal handler or another thread has raised is the user's, wherever it came.
    It is if the innermost frame outside of torch and Python is one of gradviz, in a function that
    is not marked with `calls_user_code`.
    """
    if issubclass(type(error), _NEVER) or _NO_MEMORY in safe_exception_text(error):
        return False
    if is_asynchronous(error):
        return False
    codes = [each.tb_frame.f_code for each in reversed(entries_of(traceback_of(error)))]
    outside = (each for each in codes if not _is_torch_or_python(each.co_filename))
    innermost = next((each for each in outside if each.co_name not in _PARTS), None)
    if innermost is None or not is_gradviz(innermost.co_filename):
        return False
    return not is_calling_user_code(innermost)


def is_bug(error: BaseException) -> bool:
    """Whether an exception is gradviz's own, and not one that is meant to be raised."""
    module = str(_module.__get__(type(error)))
    return is_own_error(error) and module.partition(".")[0] != _PACKAGE.name


def place_of(error: BaseException) -> tuple[str, int]:
    """File name and line of the innermost frame outside of torch and Python, if there is one."""
    frames = traceback.extract_tb(traceback_of(error))
    outside = (each for each in reversed(frames) if not _is_torch_or_python(each.filename))
    found = next(outside, frames[-1])
    return Path(found.filename).name, found.lineno or 0


def innermost_user_frame(error: BaseException) -> traceback.FrameSummary | None:
    """The innermost frame outside of torch and gradviz; None if there is none."""
    frames = reversed(traceback.extract_tb(traceback_of(error)))
    return next((each for each in frames if not is_torch_or_ours(each.filename)), None)


def is_torch_or_ours(path: str) -> bool:
    """Whether a source file belongs to torch or gradviz, and not to the user."""
    return path.startswith(_TORCH) or is_gradviz(path)


@lru_cache
def _is_torch_or_python(path: str) -> bool:
    is_python = path.startswith(_PYTHON) and not path.startswith((*_INSTALLED, str(_PACKAGE)))
    return path.startswith((_TORCH, "<frozen")) or is_python
