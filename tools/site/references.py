"""Parts of the reference that are written from the program itself."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import gradviz
from gradviz.catalogue.diagnoses import GROUPS
from gradviz.catalogue.messages import say
from gradviz.cli.parser import make_parser

ROOT = Path(__file__).resolve().parents[2]
_COLUMNS = "88"
_RESULTS = tuple(
    f"gradviz.api.loaded_trace.{name}" for name in ("TraceStep", "TraceValue", "TraceTensor")
)
"""Classes that are no names of `gradviz`, but that its functions return."""


def command_help() -> str:
    """A section with the help of each verb of the command line."""
    # argparse takes the width of a terminal from there.
    os.environ["COLUMNS"] = _COLUMNS
    parser = make_parser().complete()
    verbs = [parser.verbs[name] for name in parser.verbs if name != "window"]
    return "\n\n".join(f"## {each.prog}\n\n```text\n{each.format_help()}```" for each in verbs)


def diagnoses(group: str) -> str:
    """A section for each diagnosis of a group, with its code as heading.

    Args:
        group: Key of `GROUPS`.
    """
    return "\n\n".join(
        f"### `{each.code}`\n\n**{say(f'{each.code}.title')}**: {say(f'{each.code}.guide')}."
        for each in GROUPS[group]
    )


def schema_files() -> list[Path]:
    """The JSON Schemas of the documents that gradviz writes."""
    return sorted((ROOT / "resources" / "schemas").glob("*.schema.json"))


def schemas() -> str:
    """A section with each JSON Schema."""
    parts = []
    for path in schema_files():
        text = path.read_text(encoding="utf-8")
        version = re.search(r'"schema": \{"const": (\d+)\}', text)
        head = f"## {json.loads(text)['title']}"
        told = f"Version {version[1]}. " if version else ""
        parts.append(f"{head}\n\n{told}[{path.name}]({path.name})\n\n```json\n{text.rstrip()}\n```")
    return "\n\n".join(parts)


def python_names() -> str:
    """All public names, for mkdocstrings: functions, then classes."""
    public = sorted(gradviz.__all__, key=lambda name: name[0].isupper())
    names = [f"gradviz.{name}" for name in public if not name.startswith("_")]
    return "\n\n".join(f"::: {name}" for name in (*names, *_RESULTS))


GENERATED: dict[str, Callable[[], str]] = {
    "commands": command_help,
    "schemas": schemas,
    "python": python_names,
    **{f"diagnoses {group}": partial(diagnoses, group) for group in GROUPS},
}
"""Parts by the names that pages use."""
