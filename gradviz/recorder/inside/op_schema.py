"""Facts from an op's schema: names of arguments and results, and in-place changes."""

from __future__ import annotations

import functools
from typing import Any

import torch
from msgspec import Struct

from gradviz.recorder import compat
from gradviz.recorder.safe_text import printable_text

Named = tuple[str, Any]

_RENEW = frozenset(
    f"aten::{name}" for name in ("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm")
)
"""Ops that update running statistics in training, which their schema does not say."""


class OpSchema(Struct, frozen=True):
    """Schema of an op, as far as it is recorded.

    Attributes:
        name: Same as in `Op`.
        overload: Same as in `Op`.
        arguments: Names of the arguments, positional ones first; empty without a schema.
        written: Names of the arguments that the op changes in place.
        returns: Names of the results, empty texts for those without one. None if their number is
            unknown.
    """

    name: str
    overload: str
    arguments: tuple[str, ...]
    written: frozenset[str]
    returns: tuple[str, ...] | None

    def given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Named], list[int]]:
        """Named arguments of a call and indices of those it changes; lists are expanded."""
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
            found += flat(name, value)
        if name in self.written:
            writes.extend(range(before, len(found)))

    def made(self, result: Any) -> list[Named]:
        """Results of a call with their names from the schema."""
        returns = self.returns
        if returns is not None and len(returns) == 1:
            return flat(returns[0] or "output", result)
        if returns == () or result is None:
            return []
        members = result if isinstance(result, tuple | list) else (result,)
        names = returns if returns is not None and len(returns) == len(members) else ()
        found: list[Named] = []
        for at, value in enumerate(members):
            found += flat((names[at] if names else "") or f"output {at}", value)
        return found


def _is_running(name: str, value: Any) -> bool:
    return name in ("running_mean", "running_var") and value is not None


def flat(name: str, value: Any) -> list[Named]:
    """A value with its name, or the members of a list that contains tensors."""
    if isinstance(value, list | tuple) and any(map(torch.is_tensor, value)):
        return [(f"{name}[{at}]", each) for at, each in enumerate(value)]
    return [(name, value)]


@functools.cache
def facts_of(op: Any) -> OpSchema:
    """Read the schema of an op from the dispatcher."""
    schema = compat.schema_of(op)
    if schema is None:
        name = printable_text(f"{op.namespace}::{op.name()}")
        return OpSchema(name, "", (), frozenset(), None)
    arguments = schema.arguments
    written = [each.name for each in arguments if each.alias_info and each.alias_info.is_write]
    return OpSchema(
        name=printable_text(schema.name),
        overload=printable_text(getattr(op, "_overloadname", "")),
        arguments=tuple([printable_text(each.name) for each in arguments]),
        written=frozenset(written),
        returns=tuple([printable_text(each.name or "") for each in schema.returns]),
    )
