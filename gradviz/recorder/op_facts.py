"""What torch's dispatcher says about an op: names of what it takes and returns, what it changes."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from gradviz.recorder import compat
from gradviz.recorder.plain_text import plain

Named = tuple[str, Any]

_RENEW = frozenset(
    f"aten::{name}" for name in ("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm")
)
"""Ops that renew running statistics in training, of which their schema says nothing."""


@dataclass(frozen=True, slots=True)
class OpFacts:
    """The schema of an op, as far as it is told.

    Attributes:
        name: As in `Op`.
        overload: As in `Op`.
        arguments: Their names, positional ones first; those that are not named are missing.
        written: Names of those that the op changes in place.
        returns: Names of what it returns; empty texts where it has none. None where it is not
            known how many there are.
    """

    name: str
    overload: str
    arguments: tuple[str, ...]
    written: frozenset[str]
    returns: tuple[str, ...] | None

    def given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Named], list[int]]:
        """What a call was given, tensors in lists each by itself, and which of it is changed."""
        found: list[Named] = []
        writes: list[int] = []
        names = self.arguments
        for at, value in enumerate(args):
            name = names[at] if at < len(names) else f"input {at}"
            self._take(name, value, found, writes)
        for name, value in kwargs.items():
            self._take(name, value, found, writes)
        if self.name in _RENEW and dict(found).get("training"):
            writes += [at for at, (name, value) in enumerate(found) if _is_running(name, value)]
        return found, writes

    def _take(self, name: str, value: Any, found: list[Named], writes: list[int]) -> None:
        before = len(found)
        if isinstance(value, torch.Tensor):
            found.append((name, value))
        else:
            found.extend(flat(name, value))
        if name in self.written:
            writes.extend(range(before, len(found)))

    def made(self, result: Any) -> list[Named]:
        """What a call has returned, under the names of the schema."""
        returns = self.returns
        if returns is not None and len(returns) == 1:
            return list(flat(returns[0] or "output", result))
        if returns == () or result is None:
            return []
        members = result if isinstance(result, tuple | list) else (result,)
        names = returns if returns is not None and len(returns) == len(members) else ()
        found: list[Named] = []
        for at, value in enumerate(members):
            found.extend(flat((names[at] if names else "") or f"output {at}", value))
        return found


def _is_running(name: str, value: Any) -> bool:
    return name in ("running_mean", "running_var") and value is not None


def flat(name: str, value: Any) -> Iterator[Named]:
    """A value, or the members of a list that has tensors among them."""
    if isinstance(value, list | tuple) and any(isinstance(each, torch.Tensor) for each in value):
        for at, each in enumerate(value):
            yield f"{name}[{at}]", each
    else:
        yield name, value


@functools.cache
def facts_of(op: Any) -> OpFacts:
    """What is known about an op of the dispatcher's."""
    schema = compat.schema_of(op)
    if schema is None:
        name = plain(f"{op.namespace}::{op.name()}")
        return OpFacts(name, "", (), frozenset(), None)
    arguments = schema.arguments
    written = [each.name for each in arguments if each.alias_info and each.alias_info.is_write]
    return OpFacts(
        name=plain(schema.name),
        overload=plain(compat.overload_of(op)),
        arguments=tuple([plain(each.name) for each in arguments]),
        written=frozenset(written),
        returns=tuple([plain(each.name or "") for each in schema.returns]),
    )
