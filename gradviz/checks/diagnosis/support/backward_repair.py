"""Search for the operation of a custom backward whose change makes the gradients right.

The changed backward is compared with the numerical Jacobians in products with random gradients of
all outputs at once, for the given inputs and for moved ones.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.trial_run import gradients_like, to_dense_gradients, trial_run
from gradviz.checks.jacobians.analytical import Backward, analytical_columns, engine_backward
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.output_parts import OutputPart, parts_of
from gradviz.checks.reference.edited_backward import (
    BackwardEdit,
    EditedBackwardMode,
    EditKind,
    OpCall,
)

_SECONDS = 2.0
"""Limit of processor time."""

_MOST_EDITS = 200
_SAME = 1e-5
"""Tolerance relative to the largest value: the numerical side has noise."""

_UNCHANGED = 1e-12
_MOST_COLUMNS = 256
_SEEDS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class BackwardRepair:
    """A change that makes the gradients of some inputs right and leaves all others as they are.

    Attributes:
        edit: The change.
        pairs: The pairs that are right with it.
        is_sure: Whether it was confirmed for other input values.
        matrices: The analytical Jacobians of these pairs with the change; empty if they are large.
    """

    edit: BackwardEdit
    pairs: tuple[JacobianPair, ...]
    is_sure: bool
    matrices: tuple[Tensor, ...] = ()


def find_backward_repairs(
    case: DiagnosisCase, pairs: Sequence[JacobianPair], kinds: Collection[EditKind]
) -> list[BackwardRepair]:
    """The changes that make some of the pairs right; among equal ones, only the last call's.

    Args:
        case: The case.
        pairs: Pairs without an explanation.
        kinds: The changes to try, the preferred ones first.
    """
    # In lower precision, noise would hide which change is right.
    wide = (torch.float64, torch.complex128)
    if case.subject.order != 1 or not pairs or any(p.numerical.dtype not in wide for p in pairs):
        return []
    found: list[BackwardRepair] = []
    with trial_run(case) as attempt:
        found = _Search(case, pairs).run(kinds)
    return found if attempt.error is None else []


class _Bench:
    """Products of the Jacobians with random gradients, at one point.

    Args:
        case: The case.
        arguments: The point.
        wrong: Numerical Jacobians of the pairs that are wrong; all others count as right.
    """

    def __init__(
        self, case: DiagnosisCase, arguments: Sequence[Any], wrong: Mapping[PairKey, Tensor]
    ) -> None:
        subject = replace(case.subject, arguments=tuple(arguments))
        self._case, self._tensors = case, subject.tensors
        self._evaluator = JacobianEvaluator(
            subject.function, subject.arguments, subject.tensors, case.evaluations
        )
        case.evaluations.expect(1)
        self._outputs = self._evaluator.evaluate()
        self._parts = parts_of(self._outputs, differentiable=True)
        self._wrong = wrong
        self.positions = [each.position for each in subject.inputs]
        self.is_wrong = [any(key[1] == k for key in wrong) for k in self.positions]
        self.targets = {seed: self._targets(seed) for seed in _SEEDS}
        self.given = {seed: self.products(seed) for seed in _SEEDS}

    def calls(self) -> list[OpCall]:
        """The calls of operations in one pass."""
        mode = EditedBackwardMode()
        self.products(1, mode)
        return mode.calls

    def products(self, seed: int, mode: EditedBackwardMode | None = None) -> list[Tensor]:
        """For each input, its gradient for random gradients of all outputs."""
        return self._run(self._parts, seed, mode)

    def _run(
        self, parts: Sequence[OutputPart], seed: int, mode: EditedBackwardMode | None = None
    ) -> list[Tensor]:
        outputs = [part.of(self._outputs) for part in parts]
        gradients = [_random(self._parts.index(part), part, seed) for part in parts]
        self._case.evaluations.expect(1)
        self._case.evaluations.begin()
        if mode is None:
            found = self._grad(outputs, gradients)
        else:
            with mode:
                found = self._grad(outputs, gradients)
        return [each.reshape(-1).cpu() for each in to_dense_gradients(found, self._tensors)]

    def _grad(self, outputs: Sequence[Tensor], gradients: Sequence[Tensor]) -> Any:
        return torch.autograd.grad(
            outputs, self._tensors, gradients, retain_graph=True, allow_unused=True
        )

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

    def repaired(self, edit: BackwardEdit, seed: int = 1) -> frozenset[int] | None:
        """Indices of the inputs that a change makes right; None if it makes others wrong."""
        found = self.products(seed, EditedBackwardMode(edit))
        right = set()
        for i, (product, target, given) in enumerate(
            zip(found, self.targets[seed], self.given[seed], strict=True)
        ):
            if self.is_wrong[i] and _is_same(product, target, _SAME):
                right.add(i)
            elif not _is_same(product, given, _UNCHANGED):
                return None
        return frozenset(right) or None

    def matrices(self, edit: BackwardEdit, pairs: Sequence[JacobianPair]) -> tuple[Tensor, ...]:
        """Analytical Jacobians of some pairs with a change; empty if an output is large."""
        found = []
        for pair in pairs:
            block = pair.block
            (part,) = (
                each
                for each in self._parts
                if (each.output, each.part) == (block.output, block.part)
            )
            if part.shape.numel() > _MOST_COLUMNS:
                return ()
            tensor = self._tensors[self.positions.index(block.input)]
            output = part.of(self._outputs)
            backward = engine_backward(output, [tensor], self._case.evaluations)

            def edited(gradient: Tensor, backward: Backward = backward) -> Sequence[Tensor | None]:
                with EditedBackwardMode(edit):
                    return backward(gradient)

            self._case.evaluations.expect(output.numel())
            found += analytical_columns(edited, output, [tensor], range(output.numel()))
        return tuple(found)

    def factor(self, calls: tuple[OpCall, ...]) -> float | None:
        """The factor for some calls that comes nearest to the targets; None if it has no effect."""
        # If the products are linear in the factor, one run shows its effect; if they are not,
        # the verification of the change fails.
        doubled = self.products(1, EditedBackwardMode(BackwardEdit("scale", calls, 2.0)))
        change, missing = [], []
        for i, product in enumerate(doubled):
            if self.is_wrong[i]:
                change.append(torch.view_as_real((product - self.given[1][i]).to(torch.complex128)))
                missing.append(
                    torch.view_as_real((self.targets[1][i] - self.given[1][i]).to(torch.complex128))
                )
        one, other = torch.cat(change).ravel(), torch.cat(missing).ravel()
        size = float(one @ one)
        return 1 + float(one @ other) / size if size > 0 else None


def _random(index: int, part: OutputPart, seed: int) -> Tensor:
    like = torch.empty(part.shape, dtype=part.dtype, device=part.device)
    # Another gradient for each output and each seed.
    return gradients_like(like, 100 * seed + index)


def _is_same(one: Tensor, other: Tensor, tolerance: float) -> bool:
    if not one.numel():
        return True
    size = max(float(one.abs().max()), float(other.abs().max()))
    return bool(float((one - other).abs().max()) <= tolerance * size)


class _Search:
    def __init__(self, case: DiagnosisCase, pairs: Sequence[JacobianPair]) -> None:
        self._pairs = {pair.place: pair for pair in pairs}
        wrong = {place: pair.numerical for place, pair in self._pairs.items()}
        self._here = _Bench(case, case.subject.arguments, wrong)
        self._elsewhere = self._moved(case, pairs[0])
        self._until = time.process_time() + _SECONDS

    def _moved(self, case: DiagnosisCase, pair: JacobianPair) -> _Bench | None:
        moved = {} if pair.reruns is None else pair.reruns.moved()
        arguments = None if pair.reruns is None else pair.reruns.moved_arguments()
        if arguments is None or not moved.keys() >= self._pairs.keys():
            return None
        return _Bench(case, arguments, {place: moved[place].numerical for place in self._pairs})

    def run(self, kinds: Collection[EditKind]) -> list[BackwardRepair]:
        calls = self._here.calls()
        found: dict[tuple[EditKind, frozenset[int]], BackwardRepair] = {}
        explained: set[int] = set()
        for kind in kinds:
            for edit in self._edits(kind, calls):
                if time.process_time() > self._until:
                    return list(found.values())
                right = self._here.repaired(edit)
                if right is None or right & explained or not self._holds(edit, right):
                    continue
                repair = self._repair(edit, right)
                if repair is not None:
                    found[kind, right] = repair
            explained |= {i for _, right in found for i in right}
        return list(found.values())

    def _edits(self, kind: EditKind, calls: Sequence[OpCall]) -> Iterator[BackwardEdit]:
        lines: dict[tuple[object, str], list[OpCall]] = {}
        offered = [each for each in calls if kind in each.edits][:_MOST_EDITS]
        for each in offered:
            lines.setdefault((each.line, each.name), []).append(each)
        # The calls of one line in a loop share a mistake, so they are also changed together.
        several = [tuple(each) for each in lines.values() if len(each) > 1]
        for chosen in (*((each,) for each in offered), *several):
            factor = self._here.factor(chosen) if kind == "scale" else 1.0
            if factor is not None:
                yield BackwardEdit(kind, chosen, _rounded(factor))

    def _holds(self, edit: BackwardEdit, right: frozenset[int]) -> bool:
        if any(self._here.repaired(edit, seed) != right for seed in _SEEDS[1:]):
            return False
        there = self._elsewhere
        return there is None or all(there.repaired(edit, seed) == right for seed in _SEEDS)

    def _repair(self, edit: BackwardEdit, right: frozenset[int]) -> BackwardRepair | None:
        positions = {self._here.positions[i] for i in right}
        pairs = tuple(pair for pair in self._pairs.values() if pair.block.input in positions)
        matrices = self._here.matrices(edit, pairs)
        if any(
            not pair.agree(each, pair.numerical)
            for pair, each in zip(pairs, matrices, strict=False)
        ):
            return None
        return BackwardRepair(edit, pairs, self._elsewhere is not None, matrices)


def _rounded(factor: float) -> float:
    """A measured factor without its noise, if it is near a simple fraction."""
    for bottom in (1, 2, 3, 4, 5, 6, 8, 10):
        near = round(factor * bottom) / bottom
        if abs(factor - near) <= _SAME * max(1.0, abs(factor)):
            return near
    return factor
