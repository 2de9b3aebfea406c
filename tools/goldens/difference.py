"""Tells what differs between two folders of goldens."""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path

import numpy as np
from PIL import Image

_MOST_LINES = 12


def report(before: Path, after: Path) -> list[str]:
    """A line for each file that is missing, new or different, with the first changed lines."""
    lines = []
    for name in sorted(_files(before) | _files(after)):
        old, new = before / name, after / name
        if not new.exists():
            lines.append(f"{name}: missing")
        elif not old.exists():
            lines.append(f"{name}: new")
        elif old.read_bytes() != new.read_bytes():
            lines += _pixels(name, old, new) if old.suffix == ".png" else _lines(name, old, new)
    return lines


def _files(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in paths}


def _pixels(name: str, old: Path, new: Path) -> list[str]:
    first, second = (np.asarray(Image.open(path).convert("RGB")) for path in (old, new))
    if first.shape != second.shape:
        return [f"{name}: {first.shape[1]}x{first.shape[0]} is {second.shape[1]}x{second.shape[0]}"]
    rows, columns = np.nonzero((first != second).any(axis=-1))
    if not len(rows):
        return []
    area = f"({columns.min()}, {rows.min()}) to ({columns.max()}, {rows.max()})"
    return [f"{name}: {len(rows)} pixels differ, in {area}"]


def _text(path: Path) -> str:
    """The text of a file, with sorted members in its JSON, as their order says nothing."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False)
    return _SCRIPT.sub(
        lambda found: found[1] + json.dumps(json.loads(found[2]), indent=1, sort_keys=True), text
    )


_SCRIPT = re.compile(r'(<script type="application/json"[^>]*>)(.*?)(?=</script>)', re.DOTALL)


def _lines(name: str, old: Path, new: Path) -> list[str]:
    first, second = (_text(path).splitlines() for path in (old, new))
    if first == second:
        return []
    changed = [
        line
        for line in difflib.unified_diff(first, second, n=0, lineterm="")
        if line[0] in "+-" and line[:3] not in ("+++", "---")
    ]
    more = len(changed) - _MOST_LINES
    return [
        f"{name}: {len(changed)} lines differ",
        *(f"    {line[:200]}" for line in changed[:_MOST_LINES]),
        *([f"    and {more} more"] if more > 0 else []),
    ]
