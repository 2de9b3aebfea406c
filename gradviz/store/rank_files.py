"""Traces that the processes of one distributed program have written side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from glob import escape
from pathlib import Path

from gradviz.model.settings.rank import Rank
from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace

_SUFFIX = re.compile(r"-rank\d+$", re.ASCII)


def rank_paths(rank: Rank | None, path: Path | None) -> dict[int, Path]:
    """The traces of all ranks in the folder of one of them, by number.

    Args:
        rank: The rank that wrote the trace; None if the program has one process.
        path: The trace; under another name, it may have nothing to do with those beside it.
    """
    if rank is None or path is None or not path.stem.endswith(rank.suffix):
        return {}
    stem = path.stem.removesuffix(rank.suffix)
    ranks = [Rank(number=number, count=rank.count) for number in range(rank.count)]
    paths = {each.number: path.with_stem(stem + each.suffix) for each in ranks}
    return {number: each for number, each in paths.items() if each.is_file()}


def belongs_to_other_launch(rank: Rank, path: Path) -> bool:
    """Whether the ranks of another number of processes have left traces with a path's name.

    The ranks of one launch choose the same name that way, without asking each other.
    """
    stem = path.stem.removesuffix(rank.suffix)
    for other in path.parent.glob(f"{escape(stem)}-rank*{path.suffix}"):
        try:
            with open_trace(other) as reader:
                found = reader.scope().rank
        except TraceError:
            # Another rank of this launch has just created it.
            continue
        if found is not None and found.count != rank.count:
            return True
    return False


def one_of_each_program(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield each path, but of several ranks of one program only the first."""
    kept: dict[Path, Path] = {}
    for path in paths:
        first = kept.setdefault(path.absolute().with_stem(_SUFFIX.sub("-rank", path.stem)), path)
        if first == path:
            yield path
