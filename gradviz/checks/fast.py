"""Fast mode: products of both Jacobians with random vectors, compared as in gradcheck.

A few additional products catch what gradcheck's single product per pair misses. If any of them
suggests a wrong element, the Jacobians of that pair are computed in full.
Source: ``_fast_gradcheck`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor

from gradviz.checks import problems
from gradviz.checks.attempt import Attempt
from gradviz.checks.drawn import Drawn, directions
from gradviz.checks.findings import Stage
from gradviz.checks.full_jacobians import FullJacobians, attempted
from gradviz.checks.parts import Part, parts_of
from gradviz.checks.products import Probing, along, product
from gradviz.checks.running import Running


class FastJacobians:
    """Comparison of Jacobian-vector products, with full Jacobians where needed.

    Args:
        running: The check.
        outputs: What the function returned.
        parts: The parts of the outputs to differentiate.
    """

    def __init__(self, running: Running, outputs: tuple[Any, ...], parts: Sequence[Part]) -> None:
        self._running = running
        self._outputs = outputs
        self._parts = parts
        self._probing = Probing(running, outputs, parts)
        drawn = Drawn()
        self._along = directions(drawn, running.subject.tensors)
        types = {part.output: part.dtype for part in sorted(parts, key=attrgetter("output"))}
        self._back = {
            k: drawn.of(outputs[k].numel(), dtype, outputs[k].device) for k, dtype in types.items()
        }

    def expected_evaluations(self) -> int:
        """Number of evaluations planned, assuming no product differs."""
        moves = sum(2 * len(each) for each in self._along)
        return moves + 2 * len(self._parts) + self._probing.expected_evaluations()

    def run(self) -> bool:
        """Compare all products; return False if the function raised."""
        numerical = self._numerical()
        if numerical is None:
            return False
        suspects = set(self._compare(numerical, self._analytical()))
        suspects |= self._probing.suspects()
        if suspects:
            self._look_closely(suspects)
        return True

    def _numerical(self) -> list[list[Tensor]] | None:
        """For each input and part, the derivatives along that input's direction."""
        running, found = self._running, []
        for each, directed in zip(running.inputs, self._along, strict=True):
            work = partial(along, running, each.tensor, directed, self._parts)
            vectors, problem = attempted(running, each, work)
            if problem is not None:
                running.findings.fault(Stage.NUMERICAL, problem, "error")
            if vectors is None:
                return None
            found.append(vectors)
        return found

    def _analytical(self) -> dict[int, list[Tensor]]:
        """For each part, the gradients of all inputs; omits parts whose backward raised."""
        running, found = self._running, {}
        for k, part in enumerate(self._parts):
            gradient = self._back[part.output].view(part.shape)
            with Attempt() as attempt:
                first = running.ways.back(self._outputs, part, gradient)
                self._judge(k, part, first, running.ways.back(self._outputs, part, gradient))
                found[k] = first
            if attempt.error is not None:
                what = f"Backward from {running.output_names[part.output]}"
                problem = problems.raised(what, attempt.error)
                running.findings.fault(Stage.JACOBIANS, problem, "error", k)
        return found

    def _judge(self, k: int, part: Part, first: list[Tensor], second: list[Tensor]) -> None:
        findings, allowed = self._running.findings, self._running.settings.nondet_tol
        name = self._running.output_names[part.output]
        for each, one, two in zip(self._running.inputs, first, second, strict=True):
            spread = float((one - two).abs().max()) if one.numel() else 0.0
            if spread > allowed:
                problem = problems.nondeterministic(each.name, name, spread, allowed)
                findings.fault(Stage.JACOBIANS, problem, "mismatch", k)

    def _compare(
        self, numerical: list[list[Tensor]], analytical: dict[int, list[Tensor]]
    ) -> list[tuple[int, int]]:
        """Pairs (part, input) whose products differ by gradcheck's rule."""
        settings, found = self._running.settings, []
        for k, gradients in analytical.items():
            back = self._back[self._parts[k].output]
            for i, gradient in enumerate(gradients):
                ours = product(gradient, self._along[i])
                theirs = (back * numerical[i][k]).sum()
                length = sum(float(each.sum()) for each in self._along[i]) * float(back.sum())
                common = torch.promote_types(ours.dtype, theirs.dtype)
                pair = ours.to(common), theirs.to(ours.device, common)
                if not torch.allclose(*pair, rtol=settings.rtol, atol=settings.atol * length):
                    found.append((k, i))
                    self._tell(k, i, complex(pair[0]), complex(pair[1]))
        return found

    def _tell(self, k: int, i: int, ours: complex, theirs: complex) -> None:
        output = self._running.output_names[self._parts[k].output]
        problem = problems.products_differ(self._running.inputs[i].name, output, ours, theirs)
        place = len(self._parts)  # Ranks after all faults of backward itself.
        self._running.findings.fault(Stage.JACOBIANS, problem, "mismatch", place)

    def _look_closely(self, suspects: set[tuple[int, int]]) -> None:
        """Compute the full Jacobians of some pairs, without changing gradcheck's verdict."""
        chosen = {k for k, _ in suspects}
        parts = [part for k, part in enumerate(self._parts) if k in chosen]
        only = frozenset(i for _, i in suspects)
        full = FullJacobians(self._running, self._outputs, parts, only=only, decides=False)
        self._running.evaluations.expect(full.expected_evaluations())
        full.run()


def check_that_nothing_changes_fast(running: Running, outputs: tuple[Any, ...]) -> bool:
    """Check that non-differentiable outputs stay constant along one direction per input.

    gradcheck does this in fast mode if no output is differentiable.

    Returns:
        False if the function raised.
    """
    parts = parts_of(outputs, differentiable=False)
    found = directions(Drawn(), running.subject.tensors)
    running.evaluations.expect(sum(2 * len(each) for each in found))
    order = running.subject.order
    for each, directed in zip(running.inputs, found, strict=True):
        work = partial(along, running, each.tensor, directed, parts)
        vectors, problem = attempted(running, each, work)
        if problem is not None:
            running.findings.fault(Stage.NUMERICAL, problem, "error")
        if vectors is None:
            return False
        for part, vector in zip(parts, vectors, strict=True):
            if vector.numel() and bool(vector.abs().max() > running.settings.nondet_tol):
                name = running.output_names[part.output]
                problem = problems.numerical_not_zero(name, each.name, order)
                running.findings.fault(Stage.NUMERICAL, problem, "mismatch")
    running.findings.notice(problems.not_differentiable(order))
    return True
