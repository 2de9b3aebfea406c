"""Tensors and state dicts from files of NumPy, torch and safetensors. No file can run code."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from gradviz.catalogue.messages import say, say_list
from gradviz.model.inputs import InputFile
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.worker.user_errors import CaughtError, WorkError

Array = npt.NDArray[Any]

_MOST_KEYS = 8
_MOST_DEPTH = 16
_NUMPY_STARTS = (b"\x93NUMPY", b"PK")


@calls_user_code
def read_tensor(file: InputFile) -> torch.Tensor:
    """Read a tensor on the CPU.

    Raises:
        WorkError: If the file cannot be read, or does not contain the tensor.
    """
    path = Path(file.path).expanduser()
    with _errors_as_sentences(path):
        found = _chosen(_read(path, file), path, file.key)
        if isinstance(found, torch.Tensor):
            return found
        return torch.from_numpy(found.astype(found.dtype.newbyteorder("=")))


def read_state_dict(file: InputFile) -> Mapping[str, Any]:
    """Read a state dict, its tensors on the CPU.

    Raises:
        WorkError: If the file cannot be read, or does not contain the state dict.
    """
    path = Path(file.path).expanduser()
    with _errors_as_sentences(path):
        content = _read(path, file)
        if not isinstance(content, Mapping):
            raise WorkError(say("module.no_state", path=path))
        inside = {str(key): each for key, each in content.items() if isinstance(each, Mapping)}
        names = say_list([repr(name) for name in list(inside)[:_MOST_KEYS]])
        if not file.key:
            if inside and not any(isinstance(each, torch.Tensor) for each in content.values()):
                raise WorkError(say("module.several", path=path, names=names))
            return content
        if file.key not in inside:
            problem = "module.no_key" if inside else "module.no_state"
            raise WorkError(say(problem, path=path, state=repr(file.key), names=names))
        return inside[file.key]


@contextmanager
def _errors_as_sentences(path: Path) -> Iterator[None]:
    """Turn what reading a file raises into a `WorkError`."""
    with CaughtError() as caught:
        _check_file(path)
        yield
    # A damaged file can make torch raise anything.
    if caught.error is not None:
        raise _as_sentence(caught.error, path) from caught.error


@calls_user_code
def _check_file(path: Path) -> None:
    """Reject what cannot be read to an end, and what contains nothing."""
    # A folder raises by itself.
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise _error("special", path)
    if path.is_file() and not path.stat().st_size:
        raise _error("empty", path)


def _as_sentence(error: BaseException, path: Path) -> BaseException:
    if isinstance(error, WorkError) or not isinstance(error, Exception):
        return error
    if isinstance(error, OSError):
        return _error("unreadable", path, reason=error.strerror or error)
    if isinstance(error, pickle.UnpicklingError):
        return _error("unsafe", path)
    reason = " ".join(str(error).split(". ")[0].split())
    return _error("damaged", path, kind=type(error).__name__, reason=f"{reason:.200}")


@calls_user_code
def _read(path: Path, file: InputFile) -> Any:
    if file.suffix == ".safetensors":
        try:
            from safetensors.torch import load_file
        except ModuleNotFoundError:
            raise _error("no_safetensors", path) from None
        return load_file(path)
    if file.suffix in (".pt", ".pth"):
        return torch.load(path, map_location="cpu", weights_only=True)
    with path.open("rb") as opened:
        # Whatever else a file contains, NumPy takes it for a pickle.
        if not opened.read(6).startswith(_NUMPY_STARTS):
            raise _error("no_numpy", path)
    loaded = np.load(path, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return loaded
    with loaded:
        # Only here are the arrays read, and another one may be none that can be.
        names = [file.key] if file.key in loaded.files else loaded.files
        return {name: loaded[name] for name in names}


def _chosen(content: Any, path: Path, key: str) -> torch.Tensor | Array:
    if isinstance(content, torch.Tensor | np.ndarray):
        if key:
            raise _error("single", path, tensor=repr(key))
        return content
    tensors = list(_tensors_in(content))
    # A tensor may have the empty name.
    found = [each for name, each in tensors if name == key]
    if not key and len(tensors) == 1:
        return tensors[0][1]
    if len(found) == 1:
        return found[0]
    names = say_list([repr(name) for name, _ in tensors[:_MOST_KEYS]])
    problem = "no_key" if key and not found else "several"
    raise _error(problem if tensors else "no_tensor", path, tensor=repr(key), names=names)


def _tensors_in(
    content: Any, place: str = "", depth: int = 0
) -> Iterator[tuple[str, torch.Tensor | Array]]:
    """The tensors in dicts, lists and tuples, with the keys that lead to them: ``model.bias``."""
    if isinstance(content, torch.Tensor | np.ndarray):
        yield place, content
    elif isinstance(content, Mapping | list | tuple) and depth < _MOST_DEPTH:
        keys = list(content) if isinstance(content, Mapping) else list(range(len(content)))
        texts = Counter(map(str, keys))
        for key, each in zip(
            keys, content.values() if isinstance(content, Mapping) else content, strict=True
        ):
            # The keys 1 and "1" are two.
            text = repr(key) if texts[str(key)] > 1 else str(key)
            yield from _tensors_in(each, f"{place}.{text}" if depth else text, depth + 1)


def _error(problem: str, path: Path, **values: object) -> WorkError:
    return WorkError(say(f"input.file.{problem}", path=path, **values))
