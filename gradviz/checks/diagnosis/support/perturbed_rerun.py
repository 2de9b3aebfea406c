"""Reruns of a function with other values and sizes, to rule out coincidences.

A number can be twice another for many reasons, and ones equal their squares. For random values,
only the relations that the code implies still hold.

Additional runs of the checked function that leave no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from msgspec import Struct, structs
from msgspec.structs import replace
from torch import Tensor

from gradviz.checks.arguments import CheckSubject, block_of, restore_arguments
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.jacobians.matrices import compare
from gradviz.checks.output_parts import parts_of
from gradviz.checks.problem_messages import Attempt
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.reference.edited_backward import EditedBackwardMode
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.progress import DiscardingSink, Evaluations
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.recorder.compat import gradients_of


@contextmanager
def trial_run(case: CheckContext) -> Iterator[Attempt]:
    """Catch what the body raises, and restore inputs and random states afterwards."""
    subject = case.subject
    with (
        restore_arguments(subject.arguments),
        same_random_state(),
        Attempt() as attempt,
    ):
        yield attempt


def counted(case: CheckContext, work: Callable[[], Any]) -> Any:
    """Run one evaluation and count it."""
    case.evaluations.begin()
    return work()


def gradients_like(value: Tensor, seed: int) -> Tensor:
    """A reproducible gradient for an output: magnitudes between 1 and 2, with both signs."""
    # Drawn on the CPU, so that every device gets the same numbers.
    source = torch.Generator("cpu").manual_seed(seed)
    size = torch.rand(value.shape, generator=source, dtype=torch.float64, device="cpu") + 1
    sign = torch.randint(0, 2, value.shape, generator=source, device="cpu") * 2 - 1
    return (size * sign).to(value.device, value.dtype)


def to_dense_gradients(
    gradients: Sequence[Tensor | None], inputs: Sequence[Tensor]
) -> list[Tensor]:
    """Gradients as strided tensors without history; zeros for undefined ones."""
    pairs = zip(gradients, inputs, strict=True)
    return [
        torch.zeros_like(like) if each is None else each.detach().to_dense() for each, like in pairs
    ]


PairsByKey = Mapping[PairKey, JacobianPair]

RerunPoint = tuple[PairsByKey, tuple[Any, ...]]
"""The pairs of a rerun, and its arguments."""

_REACHES = (0.4, 0.02)
"""Relative sizes of the change, in this order: some functions are only defined nearby."""

_MOST_EVALUATIONS = 4_000
"""Larger checks are not repeated: among so many values, nothing holds by chance."""

_MOST_EVALUATIONS_OF_ALL = 8_000
"""Limit for all reruns together. The first ones requested are usually the most informative."""

_MOST_FOR_SIGNS = 1_000
"""Above this, values of both signs are not tried."""

_FAR = 1e3
"""Where derivatives are this many times as large, the function is not meant for the values: with
the other sign, Newton's method for a square root never settles."""

_SIDE = 3


class RerunBudget(Struct):
    """How many evaluations further reruns may take."""

    left: int = _MOST_EVALUATIONS_OF_ALL


class PerturbedRerun:
    """Lazy computation of both Jacobians under other conditions, at most once per condition."""

    def __init__(
        self,
        subject: CheckSubject,
        settings: CheckSettings,
        evaluations: Evaluations,
        budget: RerunBudget | None = None,
    ) -> None:
        self.subject = subject
        self.budget = RerunBudget() if budget is None else budget
        self._settings = settings
        self._evaluations = evaluations
        self._known: dict[Hashable, PairsByKey] = {}
        self._points: dict[int, RerunPoint] = {}
        self._operations: frozenset[str] | None = None

    def moved(self) -> PairsByKey:
        """Pairs for other input values; empty if they cannot be computed."""
        return self._once("moved", lambda: self._first(_unchanged))

    def moved_point(self) -> RerunPoint | None:
        """Pairs and arguments for other input values; None if they cannot be computed."""
        return self._points.get(id(self.moved()))

    def larger_points(self) -> Iterator[RerunPoint]:
        """Pairs and arguments with each size larger that the function accepts larger."""
        sizes = {size for each in self.subject.tensors for size in each.shape}
        # A size of 1 is broadcast, so that another one may mean something else.
        telling = sorted(size for size in sizes if size > 1) or sorted(sizes)
        yield from (self._points[id(found)] for each in telling if (found := self.resized(each)))

    def mirrored_point(self) -> RerunPoint | None:
        """Pairs and arguments for values of both signs; None if they cannot be computed."""
        return self._points.get(id(self.mirrored()))

    def moved_arguments(self) -> tuple[Any, ...] | None:
        """Arguments of the moved pairs; None if there are none."""
        point = self.moved_point()
        return None if point is None else point[1]

    def points(self, size: int | None) -> Iterator[RerunPoint]:
        """Pairs and arguments elsewhere: other values, other signs, and a larger size."""
        found = [self.moved(), self.mirrored()]
        if size is not None:
            found.append(self.resized(size))
        yield from (self._points[id(each)] for each in found if each)

    def mirrored(self) -> PairsByKey:
        """Pairs for values of both signs; empty if the function does not accept them."""
        return self._once("mirrored", self._with_signs)

    def _with_signs(self) -> PairsByKey:
        found = self._first(_unchanged, signs=True, most=_MOST_FOR_SIGNS)
        limits = {place: _FAR * _size(each) for place, each in self.moved().items()}
        is_meant = all(_size(found[k]) <= most for k, most in limits.items() if k in found)
        return found if is_meant else {}

    def reordered(self) -> PairsByKey:
        """Pairs for the values of each input in reverse order, so that none keeps its place."""
        return self._once("reordered", lambda: self._first(_unchanged, reverse=True))

    def resized(self, size: int, by: int = 1) -> PairsByKey:
        """Pairs with ``by`` added to every size equal to ``size``; empty if impossible."""
        return self._once((size, by), lambda: self._first(lambda each: _longer(each, size, by)))

    def _once(self, condition: Hashable, make: Callable[[], PairsByKey]) -> PairsByKey:
        if condition not in self._known:
            self._known[condition] = make()
        return self._known[condition]

    def values(self) -> Sequence[tuple[str, Tensor]]:
        """Tensors among the checked arguments, with their names."""
        pairs = zip(self.subject.names, self.subject.arguments, strict=True)
        return [(name, each.detach()) for name, each in pairs if isinstance(each, Tensor)]

    def uses(self, position: int, output: int) -> bool:
        """Whether a distant value of one argument changes an output; True if this raises."""
        given = self.subject.arguments
        far = tuple(
            # Far away and mostly with the other sign, because a step function is constant nearby.
            each.detach() * -3 + 1.7 if k == position and isinstance(each, Tensor) else each
            for k, each in enumerate(_copies(given, _unchanged, 0.0, signs=False))
        )
        near = _copies(given, _unchanged, 0.0, signs=False)
        self._evaluations.expect(2)
        with same_random_state() as rewind, Attempt() as attempt:
            both = []
            for arguments in (near, far):
                rewind()
                jacobian_evaluator = JacobianEvaluator(
                    self.subject.function, arguments, (), self._evaluations
                )
                both.append(jacobian_evaluator.evaluate())
        return attempt.error is not None or not _equal(
            *(each[output : output + 1] for each in both)
        )

    def operations(self) -> frozenset[str]:
        """Names of the operations that custom backwards call; empty if backward raises."""
        if self._operations is None:
            mode = EditedBackwardMode()
            arguments = _copies(self.subject.arguments, _unchanged, 0.0, signs=False)
            subject = replace(self.subject, arguments=arguments)
            self._evaluations.expect(1)
            with same_random_state() as rewind, Attempt():
                rewind()
                jacobian_evaluator = JacobianEvaluator(
                    subject.function, arguments, subject.tensors, self._evaluations
                )
                outputs = parts_of(evaluated := jacobian_evaluator.evaluate(), differentiable=True)
                values = [each.of(evaluated) for each in outputs]
                gradients = [torch.ones_like(each) for each in values]
                with mode:
                    gradients_of(values, subject.tensors, gradients)
            self._operations = frozenset(mode.operations)
        return self._operations

    def with_equal_sizes(self) -> PairsByKey:
        """Pairs for inputs whose sizes are all equal, except for sizes of 1."""
        return self._first(_square)

    def _first(
        self,
        form: Callable[[Tensor], Tensor],
        *,
        signs: bool = False,
        reverse: bool = False,
        most: int = _MOST_EVALUATIONS,
    ) -> PairsByKey:
        """The pairs for the first change of the values that keeps everything finite."""
        for reach in _REACHES[:1] if signs else _REACHES:
            arguments = _copies(self.subject.arguments, form, reach, signs=signs, reverse=reverse)
            found: PairsByKey | None = None
            with same_random_state() as rewind:
                rewind()
                with torch.enable_grad(), Attempt():
                    found = self._pairs(replace(self.subject, arguments=arguments), most)
            if found:
                self._points[id(found)] = found, arguments
                return found
        return {}

    def _pairs(self, subject: CheckSubject, most: int) -> PairsByKey | None:
        """Both Jacobians of all pairs; None if a value is not finite, or if it takes too long."""
        jacobian_evaluator = JacobianEvaluator.of(subject, self._evaluations)
        outputs = jacobian_evaluator.evaluate()
        names = subject.output_names(outputs)
        parts = parts_of(outputs, differentiable=True)
        count = sum(jacobian_evaluator.backward_passes(outputs, part) for part in parts)
        count += sum(jacobian_evaluator.numerical_evaluations(each) for each in subject.tensors)
        if count > min(most, self.budget.left):
            return None
        # Counted in advance, because the time is spent even if the values turn out not to be
        # finite.
        self.budget.left -= count
        self._evaluations.expect(1 + count)
        analytical = [jacobian_evaluator.analytical(outputs, part).matrices for part in parts]
        found = {}
        for i, each in enumerate(subject.inputs):
            numerical = jacobian_evaluator.numerical(each.tensor, parts, self._settings.eps)
            for part, ours, theirs in zip(parts, analytical, numerical, strict=True):
                if not bool(theirs.isfinite().all() and ours[i].isfinite().all()):
                    return None
                block = block_of(part, names[part.output], each)
                pair = self._pair(subject.order, block, theirs, ours[i])
                if pair is not None:
                    found[pair.place] = pair
        return found

    def _pair(
        self, order: int, block: JacobianBlock, numerical: Tensor, analytical: Tensor
    ) -> JacobianPair | None:
        settings = self._settings
        shapes = block.input_shape, block.output_shape
        comparison = compare(analytical, numerical, (settings.atol, settings.rtol), *shapes)
        if comparison.worst is None:
            return None
        return JacobianPair(
            # The matrices of a rerun are shown nowhere.
            sink=DiscardingSink(),
            order=order,
            block=structs.replace(block, wrong=comparison.wrong, worst=comparison.worst),
            worst=comparison.worst,
            numerical=numerical.cpu(),
            analytical=analytical.cpu(),
            atol=settings.atol,
            rtol=settings.rtol,
        )


def _copies(
    arguments: Sequence[Any],
    form: Callable[[Tensor], Tensor],
    reach: float,
    *,
    signs: bool,
    reverse: bool = False,
) -> tuple[Any, ...]:
    """Copies of the arguments, changed if differentiated; shared tensors stay shared."""
    # With a generator of its own, the run's random numbers stay as they are.
    generator = torch.Generator("cpu").manual_seed(0)
    made: dict[int, Any] = {}
    for each in arguments:
        if isinstance(each, Tensor) and id(each) not in made:
            copy = form(each.detach().clone())
            if each.requires_grad:
                copy = copy.reshape(-1).flip(0).view(copy.shape) if reverse else copy
                copy = _moved(copy, reach, generator)
                copy = (_mixed(copy) if signs else copy).requires_grad_()
            made[id(each)] = copy
    return tuple(made.get(id(each), each) for each in arguments)


def _moved(values: Tensor, reach: float, generator: torch.Generator) -> Tensor:
    """Values of the same sign, randomly a little larger in size; zeros become positive."""
    shape = values.shape
    # At least a quarter of the reach, so that every value really moves.
    drawn = torch.rand(shape, generator=generator, dtype=torch.float64, device="cpu") * 0.75 + 0.25
    drawn = drawn.to(values.device, values.dtype) * reach
    return torch.where(values == 0, drawn, values * (1 + drawn))


def _mixed(values: Tensor) -> Tensor:
    """Flip the sign of every second value, starting with the first."""
    places = torch.arange(values.numel(), device=values.device).view(values.shape)
    return torch.where(places % 2 == 0, -values, values)


def _size(pair: JacobianPair) -> float:
    return float(pair.numerical.abs().max()) if pair.numerical.numel() else 0.0


def _equal(ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
    tensors = [
        pair for pair in zip(ours, theirs, strict=False) if all(isinstance(e, Tensor) for e in pair)
    ]
    return all(one.shape == other.shape and torch.equal(one, other) for one, other in tensors)


def _unchanged(values: Tensor) -> Tensor:
    return values


def _longer(values: Tensor, size: int, by: int) -> Tensor:
    """Append the first slice, or zeros if there is none, to each dimension of this size."""
    for dimension, length in enumerate(values.shape):
        if length == size == 0:
            shape = [*values.shape[:dimension], by, *values.shape[dimension + 1 :]]
            values = values.new_zeros(shape)
        elif length == size:
            values = torch.cat([values, *[values.narrow(dimension, 0, 1)] * by], dimension)
    return values


def _square(values: Tensor) -> Tensor:
    """Give all dimensions the same size, by repeating or cutting them."""
    for dimension, length in enumerate(values.shape):
        if length > 1:
            chosen = torch.arange(_SIDE, device=values.device) % length
            values = values.index_select(dimension, chosen)
    return values
