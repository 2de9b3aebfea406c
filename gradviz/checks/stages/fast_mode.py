"""Fast mode: products of both Jacobians with random vectors, compared as in gradcheck.

A few additional products catch what gradcheck's single product per pair misses. If any of them
suggests a wrong element, the Jacobians of that pair are computed in full.
Source: ``_fast_gradcheck`` in torch/autograd/gradcheck.py.

Forward mode in fast mode: one product with a random vector for each input. Source:
``_fast_gradcheck`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from gradviz.checks.output_parts import OutputPart, is_continuous
from gradviz.checks.problem_messages import (
    UserCodeAttempt,
    make_problem,
    products_differ,
    varying,
)
from gradviz.checks.random_tensors import RandomUnitVectors, random_directions
from gradviz.checks.reliability.cancellation import note_below_atol
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.stages.forward_mode import (
    DualArguments,
    TangentRound,
    copy_tangent,
    fault,
    raised,
    rounds_of,
)
from gradviz.checks.stages.full_jacobians import FullJacobians, attempted


def expected_forward_evaluations(running: CheckContext) -> int:
    """Number of evaluations, including the check of undefined tangents."""
    inputs = running.subject.tensors
    # Two for a difference, one for a tangent, two for undefined tangents.
    return 5 * len(inputs) * len(rounds_of(inputs))


def check_forward_fast(running: CheckContext, outputs: tuple[Any, ...]) -> bool:
    """Compare ``jvp`` of random vectors with finite differences; False if it raised."""
    whole = [
        OutputPart(output=k, part="", shape=value.shape, dtype=value.dtype, device=value.device)
        for k, value in enumerate(outputs)
        if is_continuous(value)
    ]
    for place, this_round in enumerate(rounds_of(running.subject.tensors)):
        drawn = RandomUnitVectors()
        vectors = [drawn.of(*_form(each)) for each in running.subject.tensors]
        numerical = _numerical(running, whole, this_round, vectors, 2 * place)
        if numerical is None:
            return False
        with UserCodeAttempt() as attempt:
            analytical = _analytical(running, whole, this_round, vectors)
            _compare(running, whole, (analytical, numerical), vectors, 2 * place + 1)
        if attempt.error is not None:
            raised(running, attempt.error, 2 * place)
            return False
    return True


def _form(tensor: Tensor) -> tuple[int, torch.dtype, torch.device]:
    dtype = tensor.dtype.to_real() if tensor.is_complex() else tensor.dtype
    return tensor.numel(), dtype, tensor.device


def _numerical(
    running: CheckContext,
    parts: Sequence[OutputPart],
    this_round: TangentRound,
    vectors: Sequence[Tensor],
    place: int,
) -> list[list[Tensor]] | None:
    found, eps = [], running.settings.eps
    for each, vector in zip(running.inputs, vectors, strict=True):
        delta = eps * vector.view(each.tensor.shape)
        delta = delta * 1j if each.tensor.is_complex() and this_round == "imag" else delta
        work = partial(running.evaluator.derivatives_along, each.tensor, delta, parts, eps)
        made = attempted(
            running, each, work, lambda problem: fault(running, problem, "error", place)
        )
        if made is None:
            return None
        found.append(made)
    return found


def _analytical(
    running: CheckContext,
    parts: Sequence[OutputPart],
    this_round: TangentRound,
    vectors: Sequence[Tensor],
) -> list[list[Tensor]]:
    found = []
    with forward_ad.dual_level():
        duals = DualArguments(running.subject.arguments, this_round)
        for tangent, vector in zip(duals.tangents, vectors, strict=True):
            tangent.copy_(vector.view_as(tangent))
            outputs = running.evaluator.call(duals.values())
            made = [
                torch.empty(part.shape.numel(), dtype=part.dtype, device=part.device)
                for part in parts
            ]
            for part, row in zip(parts, made, strict=True):
                copy_tangent(outputs[part.output], row)
            found.append(made)
            tangent.zero_()
    return found


def _compare(
    running: CheckContext,
    parts: Sequence[OutputPart],
    both: tuple[list[list[Tensor]], list[list[Tensor]]],
    vectors: Sequence[Tensor],
    place: int,
) -> None:
    settings = running.settings
    for i, (ours, theirs) in enumerate(zip(*both, strict=True)):
        # The same as ``_adjusted_atol`` in gradcheck.
        atol = settings.atol * float(vectors[i].sum())
        for part, one, two in zip(parts, ours, theirs, strict=True):
            if not torch.allclose(one, two, rtol=settings.rtol, atol=atol):
                problem = make_problem(
                    "forward_mode",
                    name=running.inputs[i].name,
                    output=running.output_names[part.output],
                )
                fault(running, problem, "mismatch", place)


_VECTORS = 4
"""Vectors per side. Two wrong elements may cancel in one product, but hardly in all 16."""


def derivatives_along(
    running: CheckContext, moved: Tensor, directed: Sequence[Tensor], parts: Sequence[OutputPart]
) -> list[Tensor]:
    """Derivatives of the parts along a direction of one input, by central differences.

    A complex input has two directions, for its real and its imaginary part; the result is then
    ``ds/dx + 1j ds/dy``.
    """
    eps = running.settings.eps
    real = directed[0].view(moved.shape)
    found = running.evaluator.derivatives_along(moved, eps * real, parts, eps)
    if not moved.is_complex():
        return found
    imaginary = eps * directed[1].view(moved.shape)
    both = zip(
        found, running.evaluator.derivatives_along(moved, imaginary * 1j, parts, eps), strict=True
    )
    return [dx + dy * 1j for dx, dy in both]


def product(gradient: Tensor, directed: Sequence[Tensor]) -> Tensor:
    """The derivative along a direction according to backward: the gradient times it."""
    flat = gradient.to_dense().reshape(-1)
    if not flat.is_complex():
        return flat.dot(directed[0])
    parts = torch.view_as_real(flat.resolve_conj())
    return parts[:, 0].dot(directed[0]) + 1j * parts[:, 1].dot(directed[1])


class ProductProbe:
    """Search for the pairs of an output and an input that may contain a wrong element.

    The elements of all vectors have random signs and magnitudes between 1 and 2. A single element
    outside the tolerance therefore changes each product by more than ``atol``, wherever it is.
    """

    def __init__(
        self, running: CheckContext, outputs: tuple[Any, ...], parts: Sequence[OutputPart]
    ) -> None:
        self._running = running
        self._outputs = outputs
        self._parts = parts
        self._inputs = running.subject.tensors
        self._generator = torch.Generator("cpu").manual_seed(0)

    def expected_evaluations(self) -> int:
        """Number of evaluations that `suspects` takes."""
        numerical_evaluations = sum(4 if each.is_complex() else 2 for each in self._inputs)
        return _VECTORS * (numerical_evaluations + len(self._parts))

    def suspects(self) -> set[tuple[int, int]]:
        """Pairs (part, input) to compute in full; all of them if the function raised."""
        found = {(k, i) for k in range(len(self._parts)) for i in range(len(self._inputs))}
        with UserCodeAttempt():
            found = self._suspects()
        return found

    def _suspects(self) -> set[tuple[int, int]]:
        backs = [self._gradients(part) for part in self._parts]
        found = set()
        for i, moved in enumerate(self._inputs):
            for _ in range(_VECTORS):
                count = 2 if moved.is_complex() else 1
                directed = [self._vector(moved) for _ in range(count)]
                numerical = derivatives_along(self._running, moved, directed, self._parts)
                for k, (vector, gradients) in enumerate(zip(numerical, backs, strict=True)):
                    products = (
                        (product(gradient[i], directed), (back * vector).sum())
                        for back, gradient in gradients
                    )
                    if any(self._differs(*pair) for pair in products):
                        found.add((k, i))
        return found

    def _gradients(self, part: OutputPart) -> list[tuple[Tensor, list[Tensor]]]:
        """Random vectors for an output part, each with the inputs' gradients it gives."""
        value = part.of(self._outputs)
        vectors = [self._vector(value) for _ in range(_VECTORS)]
        back = self._running.evaluator.gradients
        return [(each, back(self._outputs, part, each.view(part.shape))) for each in vectors]

    def _vector(self, like: Tensor) -> Tensor:
        dtype = like.dtype.to_real() if like.is_complex() else like.dtype
        drawn = 2 * torch.rand(like.numel(), generator=self._generator, device="cpu") - 1
        return torch.where(drawn < 0, drawn - 1, drawn + 1).to(like.device, dtype)

    def _differs(self, ours: Tensor, theirs: Tensor) -> bool:
        distance = abs(complex(ours) - complex(theirs))
        # In this form it is also True for NaN.
        return not distance <= self._running.settings.atol / 2


class FastJacobians:
    """Comparison of Jacobian-vector products, with full Jacobians where needed."""

    def __init__(
        self, running: CheckContext, outputs: tuple[Any, ...], parts: Sequence[OutputPart]
    ) -> None:
        self._running = running
        self._outputs = outputs
        self._parts = parts
        self._probing = ProductProbe(running, outputs, parts)
        drawn = RandomUnitVectors()
        self._along = random_directions(drawn, running.subject.tensors)
        # Drawn after those of the inputs and in the order of the outputs, so they are gradcheck's.
        types = {part.output: part.dtype for part in sorted(parts, key=attrgetter("output"))}
        self._back = {
            k: drawn.of(outputs[k].numel(), dtype, outputs[k].device) for k, dtype in types.items()
        }

    def expected_evaluations(self) -> int:
        """Number of evaluations planned, assuming no product differs."""
        numerical_evaluations = sum(2 * len(each) for each in self._along)
        return numerical_evaluations + 2 * len(self._parts) + self._probing.expected_evaluations()

    def run(self) -> bool:
        """Compare all products; return False if the function raised."""
        numerical = self._numerical()
        if numerical is None:
            return False
        suspects = set(self._compare(numerical, self._analytical()))
        suspects |= self._probing.suspects()
        if suspects:
            self._compute_in_full(suspects)
        return True

    def _numerical(self) -> list[list[Tensor]] | None:
        """For each input and part, the derivatives along that input's direction."""
        running, found = self._running, []
        for each, directed in zip(running.inputs, self._along, strict=True):
            work = partial(derivatives_along, running, each.tensor, directed, self._parts)
            vectors = attempted(running, each, work)
            if vectors is None:
                return None
            found.append(vectors)
        return found

    def _analytical(self) -> dict[int, list[Tensor]]:
        """For each part, the gradients of all inputs; omits parts whose backward raised."""
        running, found = self._running, {}
        for k, part in enumerate(self._parts):
            gradient = self._back[part.output].view(part.shape)
            with UserCodeAttempt() as attempt:
                first = running.evaluator.gradients(self._outputs, part, gradient)
                self._judge(
                    k, part, first, running.evaluator.gradients(self._outputs, part, gradient)
                )
                found[k] = first
            if attempt.error is not None:
                problem = running.backward_raised(part.output, attempt.error)
                running.findings.fault(CheckStage.JACOBIANS, problem, "error", k)
        return found

    def _judge(self, k: int, part: OutputPart, first: list[Tensor], second: list[Tensor]) -> None:
        findings, allowed = self._running.findings, self._running.settings.nondet_tol
        name = self._running.output_names[part.output]
        for each, one, two in zip(self._running.inputs, first, second, strict=True):
            spread = float((one - two).abs().max()) if one.numel() else 0.0
            if spread > allowed:
                problem = varying(each.name, name, spread, allowed)
                findings.fault(CheckStage.JACOBIANS, problem, "mismatch", k)

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
                # The same as ``_adjusted_atol`` in gradcheck.
                length = sum(float(each.sum()) for each in self._along[i]) * float(back.sum())
                common = torch.promote_types(ours.dtype, theirs.dtype)
                pair = ours.to(common), theirs.to(ours.device, common)
                if not torch.allclose(*pair, rtol=settings.rtol, atol=settings.atol * length):
                    found.append((k, i))
                    self._tell(k, i, complex(pair[0]), complex(pair[1]))
                elif length:
                    # On average, in case nothing was compared.
                    mean_ours, mean_theirs = (each.reshape(1, 1) / length for each in pair)
                    output, name = self._parts[k].output, self._running.inputs[i].name
                    note_below_atol(
                        self._running, self._outputs, output, name, mean_theirs, mean_ours
                    )
        return found

    def _tell(self, k: int, i: int, ours: complex, theirs: complex) -> None:
        output = self._running.output_names[self._parts[k].output]
        problem = products_differ(self._running.inputs[i].name, output, ours, theirs)
        place = len(self._parts)  # Ranks after all faults of backward itself.
        self._running.findings.fault(CheckStage.JACOBIANS, problem, "mismatch", place)

    def _compute_in_full(self, suspects: set[tuple[int, int]]) -> None:
        """Compute the full Jacobians of some pairs, without changing gradcheck's verdict."""
        chosen = {k for k, _ in suspects}
        parts = [part for k, part in enumerate(self._parts) if k in chosen]
        only = frozenset(i for _, i in suspects)
        full = FullJacobians(self._running, self._outputs, parts, only=only, decides=False)
        self._running.evaluations.expect(full.expected_evaluations())
        full.run()
