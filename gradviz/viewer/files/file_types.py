"""Kinds of files that can be opened, and the message about others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gradviz.catalogue.visible_text import visible_text
from gradviz.store.file_kind import is_special, kind_of
from gradviz.viewer.translation import plural, translate


def can_be_opened(path: Path) -> bool:
    """Return whether a file can be opened, judging by its name, or the first bytes of a trace."""
    return bool(kind_of(path))


def refusal(paths: Sequence[Path]) -> str:
    """Return a sentence that these files cannot be opened."""
    name = visible_text(paths[0].name)
    if len(paths) == 1 and is_special(paths[0]):
        text = translate("FileKinds", "{0} is a pipe or device, not a regular file.")
        return text.format(name)
    if len(paths) == 1:
        return translate(
            "FileKinds",
            "{0} is not a Python file (.py), a notebook (.ipynb), a trace (.gradviz)"
            " or a lesson (.gradviz-lesson).",
        ).format(name)
    text = plural.tr(
        "{0} and %Ln more are not Python files (.py), notebooks (.ipynb), traces (.gradviz)"
        " or lessons (.gradviz-lesson).",
        "",
        len(paths) - 1,
    )
    return text.format(name)
