"""THIRD_PARTY.md lists the installed packages in their pinned versions."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import get_args

from gradviz.catalogue.installation import DISTRIBUTION
from gradviz.catalogue.optional_packages import PACKAGES, Extra
from tests.architecture.layers import ROOT

ROW = re.compile(
    r"^\| (?:[^|]*\(`(?P<quoted>[^`]+)`\)|(?P<plain>[^|`]+)) \| (?P<version>[\d.]+) \|"
)
EXTRAS = re.compile(r"\[(.*)\]")
REQUIREMENT = re.compile(r"^[A-Za-z0-9_.-]+")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def listed() -> dict[str, str]:
    """The packages of the tables; fonts and other files that gradviz carries are no packages."""
    sections = (ROOT / "THIRD_PARTY.md").read_text().split("\n## ")
    tables = [each for each in sections if each.startswith(("What gradviz", "What these"))]
    rows = (ROW.match(line) for line in "\n".join(tables).splitlines())
    return {normal(row["quoted"] or row["plain"].strip()): row["version"] for row in rows if row}


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {normal(name): version for name, version in pins}


def needed_by(name: str) -> set[str]:
    """What a package needs without extras, and gradviz for its parts, if it is installed here."""
    requirements = importlib.metadata.requires(name) or []
    extras = get_args(Extra) if name == DISTRIBUTION else ()
    wanted = [
        text
        for text in requirements
        if "extra ==" not in text or any(f"extra == '{each}'" in text for each in extras)
    ]
    return {normal(REQUIREMENT.match(text)[0]) for text in wanted} & installed()


def installed() -> set[str]:
    return {normal(each.name) for each in importlib.metadata.distributions()}


def closure(name: str) -> set[str]:
    found: set[str] = set()
    new = {name}
    while new:
        found |= new
        new = {each for one in new for each in needed_by(one)} - found
    return found - {name}


def test_every_package_that_gradviz_brings_is_listed() -> None:
    # CUDA's libraries come with torch on some systems only; the file speaks of them in words.
    cuda = ("nvidia-", "cuda-", "triton")
    brought = {name for name in closure(DISTRIBUTION) if not name.startswith(cuda)}
    assert brought - listed().keys() == set()


def test_the_listed_versions_are_the_pinned_ones() -> None:
    versions = listed()
    assert len(versions) > 15
    assert versions == {name: pinned().get(name) for name in versions}


def test_the_pins_fit_what_is_asked() -> None:
    # The pins serve Python 3.11, too, where PySide6 6.12 aborts.
    assert pinned()["pyside6-essentials"].startswith(("6.10.", "6.11."))
    assert "+" not in "".join(pinned().values())


def test_what_the_extras_add_is_what_may_be_missing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert asked_by("all", extras) == set().union(*(asked_by(e, extras) for e in get_args(Extra)))
    for extra in get_args(Extra):
        names = {"PIL": "Pillow", "pptx": "python-pptx"}
        imported = {normal(names.get(name, name)) for name in PACKAGES[extra]}
        # Where it has no wheel, and no `dot` is installed, the window shows all but the graph.
        optional = {"pygraphviz"} if extra != "draw" else set()
        assert asked_by(extra, extras) - optional == imported


def asked_by(extra: str, extras: Mapping[str, Sequence[str]]) -> set[str]:
    """The packages of an extra, and of the extras that it brings."""
    asked: set[str] = set()
    for text in extras[extra]:
        name, brought = REQUIREMENT.match(text)[0], EXTRAS.search(text)
        if name == DISTRIBUTION:
            asked |= {each for one in brought[1].split(",") for each in asked_by(one, extras)}
        else:
            asked.add(normal(name).removesuffix("-essentials"))
    return asked
