"""Brings the rows of an older format to the present one while they are read; no file is changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Rows = dict[str, Iterable[Any]]
"""Rows by table, ordered by id, each as the JSON object that stands in the file."""


def upgraded(rows: Rows, version: int) -> Rows:
    """The rows of a trace of format ``version`` as they would stand in one of this format.

    What has not the form that it should have passes unchanged: decoding tells what is wrong.
    """
    for upgrade in _UPGRADES[version - 1 :]:
        rows = upgrade(rows)
    return rows


def upgrade_1(rows: Rows) -> Rows:
    """Format 1 told of a node the path of its module, but neither the call nor the class."""
    nodes = list(rows["node"])
    calls = _calls_of(dict.fromkeys(path for node in nodes if (path := _path_of(node))))
    numbers = {call["path"]: call["id"] for call in calls}
    return rows | {"node": [_with_call(node, numbers) for node in nodes], "module": calls}


def _path_of(node: Any) -> str | None:
    """Path of a node of format 1; None where it is no such node."""
    if not isinstance(node, dict) or "module_call" in node:
        return None
    path = node.get("module")
    return path if isinstance(path, str) else None


def _with_call(node: Any, numbers: dict[str, int]) -> Any:
    path = _path_of(node)
    if path is None:
        return node
    known = {name: value for name, value in node.items() if name != "module"}
    return known | {"module_call": numbers.get(path)}


def _calls_of(paths: Iterable[str]) -> list[dict[str, Any]]:
    """One call for each path, inside the call of the longest path above it; outer ones first."""
    numbers: dict[str, int] = {}
    calls = []
    for number, path in enumerate(sorted(paths, key=lambda each: each.count(".")), 1):
        above = (numbers[each] for each in _above(path) if each in numbers)
        calls.append({"id": number, "path": path, "class_name": "", "parent": next(above, None)})
        numbers[path] = number
    return calls


def _above(path: str) -> Iterator[str]:
    """The paths above one, nearest first."""
    while "." in path:
        path = path.rpartition(".")[0]
        yield path


_UPGRADES = (upgrade_1,)
