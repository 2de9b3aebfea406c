"""Products of a custom backward with random gradients, with and without changed operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import torch
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.perturbed_rerun import gradients_like, to_dense_gradients
from gradviz.checks.jacobians.analytical import Backward, analytical_columns, engine_backward
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.output_parts import OutputPart, parts_of, places
from gradviz.checks.problem_messages import result_of
from gradviz.checks.reference.edited_backward import (
    BackwardEdit,
    EditedBackwardMode,
    OpCall,
    is_same_memory,
)
from gradviz.checks.run.context import CheckContext
from gradviz.recorder.compat import gradients_of

Edits = Sequence[BackwardEdit]

SAME = 1e-5
"""Tolerance relative to the largest value: the numerical side has noise."""

SEEDS = (1, 2, 3)
_UNCHANGED = 1e-12
_MOST_COLUMNS = 256


class RepairBench:
    """Products of the Jacobians with random gradients, at one point.

    Args:
        case: The case.
        arguments: The point.
        wrong: Numerical Jacobians of the pairs that are wrong; all others count as right.
    """

    def __init__(
        self, case: CheckContext, arguments: Sequence[Any], wrong: Mapping[PairKey, Tensor]
    ) -> None:
        subject = replace(case.subject, arguments=tuple(arguments))
        self._case, self._tensors = case, subject.tensors
        self._evaluator = JacobianEvaluator.of(subject, case.evaluations)
        case.evaluations.expect(1)
        self._outputs = self._evaluator.evaluate()
        self._parts = parts_of(self._outputs, differentiable=True)
        self.values = {
            f"={k}": each.detach()
            for k, each in enumerate(self._outputs)
            if isinstance(each, Tensor) and (each.is_floating_point() or each.is_complex())
        }
        self._wrong = wrong
        self.positions = [each.position for each in subject.inputs]
        self.is_wrong = [any(key[1] == k for key in wrong) for k in self.positions]
        self.targets = {seed: self._targets(seed) for seed in SEEDS}
        self.given = {seed: self.products(seed) for seed in SEEDS}

    def calls(self) -> tuple[list[OpCall], dict[str, str]]:
        """The calls of operations in one pass, and what the saved tensors are, by name."""
        mode = EditedBackwardMode()
        self._run(self._parts, 1, mode)
        subject = self._case.subject
        named = [*zip(subject.names, subject.arguments, strict=True)]
        named += zip(self._case.output_names, self._outputs, strict=False)
        names = {key: _saved_name(key, each, named) for key, each in mode.saved.items()}
        outputs = {f"={k}": name for k, name in enumerate(self._case.output_names)}
        return mode.calls, {**names, **outputs}

    def products(self, seed: int, edits: Edits = ()) -> list[Tensor]:
        """For each input, its gradient for random gradients of all outputs."""
        mode = EditedBackwardMode(edits, self.values) if edits else None
        return self._run(self._parts, seed, mode)

    def _run(
        self, parts: Sequence[OutputPart], seed: int, mode: EditedBackwardMode | None = None
    ) -> list[Tensor]:
        outputs = [part.of(self._outputs) for part in parts]
        gradients = [_random(self._parts.index(part), part, seed) for part in parts]
        self._case.evaluations.expect(1)
        self._case.evaluations.begin()
        with mode or nullcontext():
            found = gradients_of(outputs, self._tensors, gradients, retain_graph=True)
        return [each.reshape(-1).cpu() for each in to_dense_gradients(found, self._tensors)]

    def _targets(self, seed: int) -> list[Tensor]:
        """What the products of a right backward are."""
        found = [torch.zeros(each.numel(), dtype=each.dtype) for each in self._tensors]
        for k, part in enumerate(self._parts):
            given = self._run([part], seed)
            for i, position in enumerate(self.positions):
                numerical = self._wrong.get((part.output, position, part.part))
                if numerical is None:
                    found[i] += given[i]
                else:
                    vector = _random(k, part, seed).reshape(-1).cpu()
                    found[i] += (numerical.cpu() @ vector.to(numerical.dtype)).to(found[i].dtype)
        return found

    def repaired(self, edits: Edits, seed: int = 1) -> frozenset[int] | None:
        """Indices of the inputs that changes make right; None if they make others wrong."""
        found = result_of(lambda: self.products(seed, edits))
        if not found:  # A change may not fit the shapes.
            return None
        right = set()
        for i, (product, target, given) in enumerate(
            zip(found, self.targets[seed], self.given[seed], strict=True)
        ):
            if self.is_wrong[i] and _is_same(product, target, SAME):
                right.add(i)
            elif not _is_same(product, given, _UNCHANGED):
                return None
        return frozenset(right) or None

    def matrices(self, edits: Edits, pairs: Sequence[JacobianPair]) -> tuple[Tensor, ...]:
        """Analytical Jacobians of some pairs with changes; empty if an output is large."""
        found = []
        for pair in pairs:
            part = self._parts[places(self._parts)[pair.place[::2]]]
            if part.shape.numel() > _MOST_COLUMNS:
                return ()
            tensor = self._tensors[self.positions.index(pair.block.input)]
            output = part.of(self._outputs)
            backward = engine_backward(output, [tensor], self._case.evaluations)

            def edited(gradient: Tensor, backward: Backward = backward) -> Sequence[Tensor | None]:
                with EditedBackwardMode(edits, self.values):
                    return backward(gradient)

            self._case.evaluations.expect(output.numel())
            found += analytical_columns(edited, output, [tensor], range(output.numel()))
        return tuple(found)

    def effect(self, edit: BackwardEdit) -> Tensor | None:
        """How the products change with an edit, all in one row; None if it does not fit."""
        return result_of(lambda: self._row(self.products(1, [edit])))

    def missing(self) -> Tensor:
        """How the products have to change, in the same form."""
        return self._row(self.targets[1])

    def _row(self, products: Sequence[Tensor]) -> Tensor:
        rows = [
            torch.view_as_real((product - self.given[1][i]).to(torch.complex128)).ravel()
            for i, product in enumerate(products)
            if self.is_wrong[i]
        ]
        return torch.cat(rows)


def _saved_name(key: str, saved: Tensor | None, named: Sequence[tuple[str, Any]]) -> str:
    for name, each in named:
        if saved is not None and isinstance(each, Tensor) and is_same_memory(saved, each):
            return name
    return say("diagnosis.value.saved", number=int(key[1:]) + 1)


def _random(index: int, part: OutputPart, seed: int) -> Tensor:
    like = torch.empty(part.shape, dtype=part.dtype, device=part.device)
    # Another gradient for each output and each seed.
    return gradients_like(like, 100 * seed + index)


def _is_same(one: Tensor, other: Tensor, tolerance: float) -> bool:
    if not one.numel():
        return True
    size = max(float(one.abs().max()), float(other.abs().max()))
    return bool(float((one - other).abs().max()) <= tolerance * size)
