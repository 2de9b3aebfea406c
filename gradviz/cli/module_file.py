"""The source file of a module that is named as in an import."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path


def file_of_module(name: str) -> Path | None:
    """The file of a module below the working directory, its ``src`` folder, or installed.

    No code of it is run.

    Args:
        name: The module as in an import, such as ``package.module``.

    Returns:
        A ``.py`` file, for a package its ``__init__.py``; None if there is none.
    """
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return None
    return next(_candidates(parts), None)


def _candidates(parts: Sequence[str]) -> Iterator[Path]:
    for folder in (Path.cwd(), Path.cwd() / "src"):
        yield from _below(folder, parts)
    # For a name without dots, this imports nothing.
    spec = importlib.util.find_spec(parts[0])
    if spec is None:
        return
    if len(parts) == 1 and spec.origin is not None and spec.origin.endswith(".py"):
        yield Path(spec.origin)
    for location in spec.submodule_search_locations or ():
        yield from _below(Path(location), parts[1:])


def _below(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    place = folder.joinpath(*parts)
    files = (place.with_name(f"{place.name}.py"), place / "__init__.py")
    yield from (each for each in files if each.is_file())
