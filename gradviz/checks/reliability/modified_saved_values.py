"""Test whether backward fails because forward changed values in place after saving them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.arguments import restore_arguments
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.jacobians.analytical import analytical_columns
from gradviz.checks.names import function_class, has_setup_context
from gradviz.checks.output_parts import as_tuple
from gradviz.checks.reliability.result_distance import same_bits
from gradviz.checks.run.context import CheckContext
from gradviz.checks.user_errors import Attempt
from gradviz.model.diagnosis import Diagnosis

_OWN = ("_tensors", "_copies", "needs_input_grad")


class CopyingCtx:
    """Substitute for ctx that copies each tensor at the time it is stored."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self._tensors: tuple[Tensor | None, ...] = ()
        self.needs_input_grad = needs_input_grad
        self._copies: dict[str, tuple[Tensor, Tensor]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if name not in _OWN and isinstance(value, Tensor):
            self._copies[f"ctx.{name}"] = value, value.detach().clone()

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """Saved tensors, as on ctx."""
        return self._tensors

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Store the tensors together with copies of them."""
        self._tensors = tensors
        for k, each in enumerate(tensors):
            if each is not None:
                self._copies[say("name.saved", number=k)] = each, each.detach().clone()

    def mark_dirty(self, *_tensors: Tensor) -> None:
        """Do nothing; only stored values matter here."""

    mark_non_differentiable = save_for_forward = mark_dirty

    def set_materialize_grads(self, value: bool) -> None:
        """Do nothing; only stored values matter here."""

    def changed(self) -> list[str]:
        """Names of the stored tensors that have changed since."""
        return [name for name, pair in self._copies.items() if not same_bits(*pair)]

    def restore_saved_copies(self) -> None:
        """Replace the stored tensors by their copies."""
        copies = {id(tensor): copy for tensor, copy in self._copies.values()}
        self._tensors = tuple(copies.get(id(each), each) for each in self._tensors)
        for name, (_, copy) in list(self._copies.items()):
            if name.startswith("ctx."):
                object.__setattr__(self, name.removeprefix("ctx."), copy)


def find_modified_saved_values(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield ``inplace_damage`` if backward is correct with the values as they were stored."""
    cls = function_class(case.subject.function)
    open_pairs = [pair for pair in case.pairs if not case.is_explained(pair)]
    if cls is None or has_setup_context(cls) or len(case.output_names) != 1 or not open_pairs:
        return
    names: list[str] = []
    explains = False
    with Attempt(), restore_arguments(case.subject.arguments), torch.no_grad():
        notebook = CopyingCtx(tuple(_requires_grad(each) for each in case.subject.arguments))
        case.evaluations.expect(1)
        case.evaluations.begin()
        (output,) = as_tuple(cls.forward(notebook, *case.subject.arguments))
        names = notebook.changed()
        if names:
            notebook.restore_saved_copies()
            matrices = _analytical(case, cls, notebook, output)
            positions = [each.position for each in case.subject.inputs]
            explains = all(
                pair.agree(matrices[positions.index(pair.block.input)], pair.numerical)
                for pair in open_pairs
            )
    if explains:
        yield _stored_diagnosis(names)


def _analytical(
    case: CheckContext, cls: type[Function], notebook: CopyingCtx, output: Tensor
) -> list[Tensor]:
    inputs = case.subject.inputs
    case.evaluations.expect(output.numel())

    def run(gradient: Tensor) -> Sequence[Tensor | None]:
        case.evaluations.begin()
        returned = as_tuple(cls.backward(notebook, gradient))
        return [returned[each.position] for each in inputs]

    return analytical_columns(run, output, case.subject.tensors, range(output.numel()))


def _stored_diagnosis(names: list[str]) -> Diagnosis:
    return diagnosed(
        "inplace_damage",
        say("damage.stored", names=say_list(names)),
        evidence=(say("damage.stored.agree"),),
    )


def _requires_grad(argument: object) -> bool:
    return isinstance(argument, Tensor) and argument.requires_grad
