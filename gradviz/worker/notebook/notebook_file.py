"""The code cells of a Jupyter notebook."""

from __future__ import annotations

import ast
import json
import os
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradviz.analysis.source_statements import parse_source
from gradviz.catalogue.messages import say, say_list
from gradviz.worker.user_errors import WorkError

_NAME = "cell_{}"
_MOST_CHARACTERS = 36
_AROUND_PYTHON = frozenset(("capture", "gradviz", "prun", "time", "timeit"))
"""Cell magics below which the cell is Python."""
_MAGIC = re.compile(r"\s*(%%?\w|!(?!=)|\?\w|[\w.]+\?\??\s*$|[\w., ]+=\s*(%\w|!))")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookCell:
    """A code cell.

    Attributes:
        number: Its position among the code cells, from 1.
        line: Its first line in `Notebook.text`.
        text: Its source, with magics as comments.
        magics: The lines that are magics or shell commands.
    """

    number: int
    line: int
    text: str
    magics: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name by which the cell is run, such as ``cell_3``."""
        return _NAME.format(self.number)

    @property
    def summary(self) -> str:
        """Its first line that is no magic, shortened."""
        lines = (line.strip() for line in self.text.splitlines())
        ignored = {f"# {magic}" for magic in self.magics}
        first = next((line for line in lines if line and line not in ignored), "")
        return textwrap.shorten(first.lstrip("# "), _MOST_CHARACTERS, placeholder="…")

    @property
    def has_code(self) -> bool:
        """Whether it contains more than comments and magics."""
        lines = (line.strip() for line in self.text.splitlines())
        return any(line and not line.startswith("#") for line in lines)

    @property
    def computes_gradients(self) -> bool:
        """Whether it calls ``backward`` or ``grad``, by its text."""
        tree = parse_source(self.text) or ast.Module([], [])
        called = [each.func for each in ast.walk(tree) if isinstance(each, ast.Call)]
        names = {getattr(each, "attr", getattr(each, "id", "")) for each in called}
        return bool(names & {"backward", "grad"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """The code of a notebook.

    Attributes:
        path: Absolute path of its file.
        cells: Its code cells that are not empty.
    """

    path: str
    cells: tuple[NotebookCell, ...]

    @property
    def text(self) -> str:
        """All cells as one source, each below a comment with its number."""
        parts = (f"# {cell_title(each)}\n{each.text}\n" for each in self.cells)
        return "\n".join(parts)

    @property
    def main_cell(self) -> NotebookCell:
        """The first cell that computes gradients; without one, the last cell with code."""
        code = [each for each in self.cells if each.has_code] or self.cells
        return next((each for each in code if each.computes_gradients), code[-1])

    def ignored(self) -> str:
        """A sentence that lists the magics; empty if there are none."""
        found = [
            say("notebook.magic", magic=magic, number=cell.number)
            for cell in self.cells
            for magic in cell.magics
        ]
        return say("notebook.ignored", magics=say_list(found)) if found else ""


def read_notebook(path: str) -> Notebook:
    """Read the code cells of a notebook.

    Raises:
        WorkError: If it cannot be read, or contains no Python.
    """
    path, name = os.path.abspath(path), Path(path).name
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror
        raise WorkError(say("file.unreadable", path=path, reason=reason)) from None
    except RecursionError:
        raise WorkError(say("file.too_deep", file=name)) from None
    except ValueError as error:
        raise WorkError(say("file.invalid", file=name, reason=error)) from None
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        raise WorkError(say("notebook.none", file=name))
    language = _dict(_dict(document.get("metadata")).get("language_info")).get("name", "python")
    if language != "python":
        raise WorkError(say("notebook.language", file=name, language=language))
    code = [_source(each) for each in map(_dict, cells) if each.get("cell_type") == "code"]
    found: list[NotebookCell] = []
    line = 1
    for number, source in enumerate(code, 1):
        if source.strip():
            text, magics = without_magics(source.rstrip("\n"))
            # Below the comment with its number.
            found.append(NotebookCell(number=number, line=line + 1, text=text, magics=magics))
            line += text.count("\n") + 3
    if not found:
        raise WorkError(say("notebook.empty", file=name))
    return Notebook(path=path, cells=tuple(found))


def _dict(value: object) -> dict[str, Any]:
    """A value of a JSON document if it is an object; otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def _source(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def without_magics(source: str) -> tuple[str, tuple[str, ...]]:
    """Turn magics and shell commands into comments; return them as well.

    The lines keep their numbers, and what parses as Python is left as it is.
    """
    try:
        ast.parse(source)
    except SyntaxError:
        pass
    else:
        return source, ()
    lines, magics = source.split("\n"), []
    first = re.match(r"%%(\w+)", lines[0])
    is_foreign = first is not None and first[1] not in _AROUND_PYTHON
    for at, line in enumerate(lines):
        is_magic = _MAGIC.match(line) is not None
        if is_magic and not (is_foreign and at):
            magics.append(line.strip())
        if is_magic or is_foreign:
            indent = line[: len(line) - len(line.lstrip())]
            # A block may contain nothing else.
            lines[at] = f"{indent}pass  # {line.strip()}" if indent else f"# {line}"
    return "\n".join(lines), tuple(magics)


def cell_title(cell: NotebookCell) -> str:
    """Title of a cell for people."""
    return say("notebook.cell", number=cell.number)
