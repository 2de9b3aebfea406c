"""Pages that people write: those of ``docs``, and files at the root of the repository.

Their links are paths in the repository, so that they can be followed there too.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

from tools.site.references import GENERATED

ROOT = Path(__file__).resolve().parents[2]

TRANSLATIONS = {"README.de.md": "Deutsch", "README.zh.md": "简体中文"}
"""READMEs in other languages, with the names of these languages."""

PROJECT = {
    "CHANGELOG.md": "Changelog",
    "CONTRIBUTING.md": "Contributing",
    "SECURITY.md": "Security",
    "THIRD_PARTY.md": "Third-party licenses",
}
"""Other files at the root, with the titles of their pages."""

_GUIDE = "resources/guide/en/"
_CODE = re.compile(r"^( *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_PART = re.compile(r"^<!-- generated: ([\w ]+) -->$.*?^<!-- end -->$", re.DOTALL | re.MULTILINE)


def write_sources(folder: Path) -> None:
    """Write all pages that people wrote, and their pictures, to the folder of pages."""
    names = [*TRANSLATIONS, *PROJECT, "LICENSE"]
    files = [*(ROOT / each for each in names), *sorted((ROOT / "docs").rglob("*"))]
    for path in filter(Path.is_file, files):
        name = path.relative_to(ROOT).as_posix()
        target = folder / (page_path(name) or name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copy(path, target)
            continue
        text = with_generated_parts(linked_pages(path.read_text(encoding="utf-8"), name))
        target.write_text(text, encoding="utf-8")


def page_path(name: str) -> str | None:
    """Where a file of the repository is on the site; None if it is not there.

    Args:
        name: Path of the file from the root of the repository, with slashes.
    """
    if name == "README.md":
        return "index.md"
    if name in TRANSLATIONS:
        return name
    if name in PROJECT or name == "LICENSE":
        return f"project/{name}"
    if name.startswith("docs/"):
        return name.removeprefix("docs/")
    if name.startswith(_GUIDE):
        return f"guide/{name.removeprefix(_GUIDE)}"
    return None


def linked_pages(text: str, name: str) -> str:
    """Turn links between files of the repository into links between pages of the site.

    The text of a link stays if its file is not on the site.

    Args:
        text: Markdown.
        name: Path of its file from the root of the repository, with slashes.
    """
    source = posixpath.dirname(name)
    start = posixpath.dirname(page_path(name) or name)

    def address(link: re.Match[str]) -> str:
        mark, words, target, anchor = link.groups()
        found = page_path(posixpath.normpath(posixpath.join(source, target)))
        if found is None:
            return words
        return f"{mark}[{words}]({posixpath.relpath(found, start or '.')}{anchor or ''})"

    parts = _CODE.split(text)
    parts[::2] = [_LINK.sub(address, part) for part in parts[::2]]
    return "".join(parts)


def with_generated_parts(text: str) -> str:
    """Replace each ``<!-- generated: NAME -->`` with what the program says of itself.

    What stands there until ``<!-- end -->`` tells a reader of the file where to find that.
    """
    return _PART.sub(lambda part: GENERATED[part[1]](), text)
