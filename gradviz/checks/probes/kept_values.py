"""Test whether backward fails because forward changed values in place after saving them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.analytical import analytical_columns
from gradviz.checks.arguments import put_back
from gradviz.checks.attempt import Attempt
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.names import function_class, has_setup_context
from gradviz.checks.parts import as_tuple
from gradviz.checks.probes.distance import same_bits
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.messages import say_list

_OWN = ("_tensors", "_copies", "needs_input_grad")


class Notebook:
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
                self._copies[f"saved tensor {k}"] = each, each.detach().clone()

    def mark_dirty(self, *_tensors: Tensor) -> None:
        """Do nothing; only stored values matter here."""

    mark_non_differentiable = save_for_forward = mark_dirty

    def set_materialize_grads(self, value: bool) -> None:
        """Do nothing; only stored values matter here."""

    def changed(self) -> list[str]:
        """Names of the stored tensors that have changed since."""
        return [name for name, pair in self._copies.items() if not same_bits(*pair)]

    def go_back(self) -> None:
        """Replace the stored tensors by their copies."""
        copies = {id(tensor): copy for tensor, copy in self._copies.values()}
        self._tensors = tuple(copies.get(id(each), each) for each in self._tensors)
        for name, (_, copy) in list(self._copies.items()):
            if name.startswith("ctx."):
                object.__setattr__(self, name.removeprefix("ctx."), copy)


def kept_values(case: Case) -> Iterator[Diagnosis]:
    """Yield ``inplace_damage`` if backward is correct with the values as they were stored."""
    cls = function_class(case.subject.function)
    open_pairs = [pair for pair in case.pairs if not case.is_explained(pair)]
    if cls is None or has_setup_context(cls) or len(case.output_names) != 1 or not open_pairs:
        return
    names: list[str] = []
    explains = False
    with Attempt(), put_back(case.subject.arguments), torch.no_grad():
        notebook = Notebook(tuple(_requires_grad(each) for each in case.subject.arguments))
        case.evaluations.expect(1)
        case.evaluations.begin()
        (output,) = as_tuple(cls.forward(notebook, *case.subject.arguments))
        names = notebook.changed()
        if names:
            notebook.go_back()
            matrices = _analytical(case, cls, notebook, output)
            positions = [each.position for each in case.subject.inputs]
            explains = all(
                pair.agree(matrices[positions.index(pair.block.input)], pair.numerical)
                for pair in open_pairs
            )
    if explains:
        yield _said(names)


def _analytical(
    case: Case, cls: type[Function], notebook: Notebook, output: Tensor
) -> list[Tensor]:
    inputs = case.subject.inputs
    case.evaluations.expect(output.numel())

    def run(gradient: Tensor) -> Sequence[Tensor | None]:
        case.evaluations.begin()
        returned = as_tuple(cls.backward(notebook, gradient))
        return [returned[each.position] for each in inputs]

    return analytical_columns(run, output, case.subject.tensors, range(output.numel()))


def _said(names: list[str]) -> Diagnosis:
    listed = say_list(names)
    return Diagnosis(
        code="inplace_damage",
        message=(
            f"Forward changes {listed} in place after storing it for backward, so "
            "backward computes with the wrong values. Work on a copy (.clone())."
        ),
        output=None,
        input=None,
        evidence=("With the values as they were when stored, all elements agree.",),
    )


def _requires_grad(argument: object) -> bool:
    return isinstance(argument, Tensor) and argument.requires_grad
