"""What forward or setup_context has left on ``ctx``, read as soon as the method returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradviz.model.item import Item
from gradviz.recorder.plain_text import plain
from gradviz.recorder.roles import role_of
from gradviz.recorder.tensors import Tensors


@dataclass(slots=True)
class Declared:
    """What a call has declared on its ``ctx``.

    Attributes:
        attributes: Attributes that the user has set on ``ctx``.
        dirty: Indices of the arguments marked dirty.
        non_differentiable: Indices of the outputs marked non-differentiable.
        saved: The saved values with their roles; released when the call ends.
    """

    attributes: tuple[Item, ...] = ()
    dirty: tuple[int, ...] = ()
    non_differentiable: tuple[int, ...] = ()
    saved: tuple[Any, ...] = ()


def read_context(
    ctx: Any, arguments: tuple[Any, ...], outputs: tuple[Any, ...], tensors: Tensors
) -> Declared:
    """Read what is available on ``ctx`` only until the node is finished."""
    free = {name: value for name, value in vars(ctx).items() if not name.startswith("__")}
    return Declared(
        attributes=tuple([tensors.item(plain(name), value) for name, value in free.items()]),
        dirty=_positions(ctx.dirty_tensors, arguments),
        non_differentiable=_positions(ctx.non_differentiable, outputs),
        saved=tuple([(value, role_of(value, arguments, outputs)) for value in _tuple(ctx.to_save)]),
    )


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _positions(marked: Any, among: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(
        [i for i, each in enumerate(among) if any(each is mark for mark in _tuple(marked))]
    )
