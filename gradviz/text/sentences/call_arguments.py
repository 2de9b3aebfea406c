"""Which arguments of a call its sentence mentions, and which of them the call is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gradviz.model.item import Item

MOST_ARGUMENTS: Final = 3
"""A sentence mentions all arguments of a call up to this number."""

_FLAGS = frozenset(("True", "False"))
_PARAMETERS = frozenset(("weight", "bias", "running_mean", "running_var"))
"""Tensors that a module passes along with its input, whatever their order."""
_PLACE_IN_LIST = re.compile(r"\[\d+\]$")


@dataclass(frozen=True, slots=True)
class MainArguments:
    """The arguments of a long call that its sentence mentions.

    Attributes:
        input: The tensor that the call transforms; None if no argument stands out.
        others: The other arguments to mention, in their order.
    """

    input: Item | None
    others: tuple[Item, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All arguments to mention, the input first."""
        return self.others if self.input is None else (self.input, *self.others)


def main_arguments(inputs: Sequence[Item]) -> MainArguments:
    """Choose what the sentence of a torch call mentions.

    A call of more than `MOST_ARGUMENTS` arguments mentions its tensors. Numbers and texts are
    added if there is only one tensor; None, flags and private arguments never are.

    Args:
        inputs: All arguments of the call.
    """
    tensors = [item for item in inputs if item.tensor is not None]
    if len(inputs) <= MOST_ARGUMENTS or not tensors:
        return MainArguments(None, tuple(inputs))
    kept = tensors
    if len(tensors) == 1:
        kept = tensors + [item for item in inputs if _is_worth_saying(item)]
    if len({_PLACE_IN_LIST.sub("", item.name) for item in tensors[:2]}) < len(tensors[:2]):
        return MainArguments(None, tuple(kept))  # Members of a list have equal roles.
    first = next((item for item in tensors if not _is_parameter(item)), tensors[0])
    return MainArguments(first, tuple(item for item in kept if item is not first))


def without_none(inputs: Sequence[Item]) -> tuple[Item, ...]:
    """The arguments of a user's function to mention: of many, those that are not None."""
    if len(inputs) <= MOST_ARGUMENTS:
        return tuple(inputs)
    return tuple(item for item in inputs if item.kind != "none") or tuple(inputs)


def _is_worth_saying(item: Item) -> bool:
    return item.kind == "object" and item.text not in _FLAGS and not item.name.startswith("_")


def _is_parameter(item: Item) -> bool:
    return item.name.rpartition(".")[2] in _PARAMETERS
