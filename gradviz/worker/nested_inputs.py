"""Arguments that are containers: spread out into their parts, and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from gradviz.catalogue.messages import say
from gradviz.checks.output_parts import container_parts, with_container_parts
from gradviz.worker.given_arguments import GivenArgument, describe_value
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error

MOST_PARTS = 64
MOST_DEPTH = 16
"""Larger and deeper arguments are shown as a whole."""

_MOST_PLACE = 60
"""Longest expression for a part that fits into a form, in characters."""

_ATOMS = (bool, int, float, complex, str, bytes, type(None))


class _TooLargeError(Exception):
    """An argument that cannot be spread out; its first argument is ``wide`` or ``deep``."""


def describe_argument(name: str, value: object) -> GivenArgument:
    """Describe an argument of an example, and its parts if it is a container with tensors.

    A container that is a Python literal has no parts, because it can be typed as a whole.
    """
    parts: list[tuple[str, Any]] = []
    with CaughtError() as caught:
        # Keys and attributes are user code.
        parts = _usable_parts(name, value)
    if caught.error is not None and issubclass(type(caught.error), _TooLargeError):
        problem = f"input.{caught.error.args[0]}"
        note = say(problem, name=name, parts=MOST_PARTS, depth=MOST_DEPTH)
        return describe_value(name, value, note=note)
    described = tuple(replace(describe_value(*each), is_part=True) for each in parts)
    return replace(describe_value(name, value), parts=described)


def _usable_parts(name: str, value: object) -> list[tuple[str, Any]]:
    """The parts of an argument; none if it has none, or none that a form could edit."""
    if not _inside(value):
        return []
    parts: list[tuple[str, Any]] = []
    for each in _parts(name, value, ()):
        parts.append(each)
        if len(parts) > MOST_PARTS:
            raise _TooLargeError("wide")
    names = {place for place, _ in parts}
    are_names = len(names) == len(parts) and all(
        len(each) <= _MOST_PLACE and each.isprintable() for each in names
    )
    can_edit = any(isinstance(each, torch.Tensor) or _is_literal(each) for _, each in parts)
    return parts if are_names and can_edit else []


def _parts(name: str, value: Any, containers: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    inside = _inside(value)
    if not inside:
        yield name, value
        return
    if len(containers) == MOST_DEPTH or id(value) in containers:
        raise _TooLargeError("deep")
    if len(inside) > MOST_PARTS:
        raise _TooLargeError("wide")
    for place, part in inside:
        yield from _parts(name + place, part, (*containers, id(value)))


def _inside(value: Any) -> list[tuple[str, Any]]:
    return [] if _is_literal(value) else container_parts(value)


def _is_literal(value: Any, depth: int = 0) -> bool:
    kind = type(value)
    if kind in (list, tuple, dict) and depth < MOST_DEPTH:
        inside = (*value, *value.values()) if kind is dict else value
        return all(_is_literal(each, depth + 1) for each in inside)
    return kind in _ATOMS


def flat_arguments(given: Sequence[GivenArgument]) -> tuple[GivenArgument, ...]:
    """The arguments, with their parts in the place of those that have any."""
    return tuple(part for each in given for part in each.parts or (each,))


def put_together(
    names: Sequence[str], values: Sequence[Any], given: Sequence[GivenArgument]
) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Names and values of the arguments from those of their parts.

    Args:
        names: Names of parts, and of arguments without any.
        values: Their values. A container of which all parts are the file's own is passed itself.
        given: The arguments that the file creates.

    Raises:
        WorkError: If a container refuses other parts.
    """
    made = dict(zip(names, values, strict=True))
    owners = {part.spec.name: each for each in given for part in each.parts}
    arguments: dict[str, Any] = {}
    for name, value in made.items():
        owner = owners.get(name)
        if owner is None:
            arguments[name] = value
        elif owner.spec.name not in arguments:
            arguments[owner.spec.name] = _rebuilt(owner, made)
    return tuple(arguments), tuple(arguments.values())


def _rebuilt(owner: GivenArgument, made: Mapping[str, Any]) -> Any:
    name = owner.spec.name
    own = {each.spec.name: each.value for each in owner.parts}
    new = {each: made[each] for each in own if each in made and made[each] is not own[each]}
    with CaughtError() as caught:
        return _with_parts(name, owner.value, new)
    assert caught.error is not None
    reason = describe_error(caught.error, "")
    raise WorkError(say("input.not_rebuilt", name=name, reason=reason)) from caught.error


def _with_parts(name: str, value: Any, new: Mapping[str, Any]) -> Any:
    if name in new:
        return new[name]
    inside = _inside(value)
    parts = [_with_parts(name + place, part, new) for place, part in inside]
    if all(made is part for made, (_, part) in zip(parts, inside, strict=True)):
        return value
    return with_container_parts(value, parts)
