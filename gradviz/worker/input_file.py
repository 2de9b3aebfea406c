"""Tensors from files: NumPy's npy and npz, torch's pt, and safetensors. No file can run code."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from gradviz.catalogue.messages import say, say_list
from gradviz.model.inputs import InputFile
from gradviz.worker.user_errors import CaughtError

Array = npt.NDArray[Any]

_MOST_KEYS = 8


class InputFileError(ValueError):
    """A file without the tensor that was asked for; the message is shown to the user."""


def read_tensor(file: InputFile) -> torch.Tensor:
    """Read a tensor on the CPU.

    Raises:
        InputFileError: If the file cannot be read, or does not contain the tensor.
    """
    path = Path(file.path).expanduser()
    with CaughtError() as caught:
        found = _chosen(_read(path, file), path, file.key)
        if isinstance(found, torch.Tensor):
            return found
        return torch.from_numpy(found.astype(found.dtype.newbyteorder("=")))
    # A damaged file can make torch raise anything.
    assert caught.error is not None
    raise _as_sentence(caught.error, path) from caught.error


def _as_sentence(error: BaseException, path: Path) -> BaseException:
    if isinstance(error, InputFileError) or not isinstance(error, Exception):
        return error
    if isinstance(error, OSError):
        return _error("unreadable", path, reason=error.strerror or error)
    if isinstance(error, pickle.UnpicklingError):
        return _error("unsafe", path)
    reason = " ".join(str(error).split(". ")[0].split())
    return _error("damaged", path, kind=type(error).__name__, reason=f"{reason:.200}")


def _read(path: Path, file: InputFile) -> Any:
    if file.suffix == ".safetensors":
        try:
            from safetensors.torch import load_file
        except ModuleNotFoundError:
            raise _error("no_safetensors", path) from None
        return load_file(path)
    if file.suffix in (".pt", ".pth"):
        return torch.load(path, map_location="cpu", weights_only=True)
    loaded = np.load(path, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return loaded
    with loaded:
        # Only then are the arrays read.
        return dict(loaded)


def _chosen(content: Any, path: Path, key: str) -> torch.Tensor | Array:
    found = content
    if isinstance(content, Mapping):
        tensors = {
            str(name): each
            for name, each in content.items()
            if isinstance(each, torch.Tensor | np.ndarray)
        }
        if not key and len(tensors) == 1:
            (found,) = tensors.values()
        elif key in tensors:
            found = tensors[key]
        else:
            names = say_list([repr(name) for name in list(tensors)[:_MOST_KEYS]])
            problem = "no_key" if key else "several"
            raise _error(problem if tensors else "no_tensor", path, tensor=repr(key), names=names)
    elif key:
        raise _error("single", path, tensor=repr(key))
    if not isinstance(found, torch.Tensor | np.ndarray):
        raise _error("no_tensor", path)
    return found


def _error(problem: str, path: Path, **values: object) -> InputFileError:
    return InputFileError(say(f"input.file.{problem}", path=path, **values))
