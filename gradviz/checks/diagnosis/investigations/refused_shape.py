"""Investigation of gradients that the engine rejects for their shape, and of size errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import permutations
from typing import Any

import torch
from msgspec import Struct
from torch import Tensor
from torch.autograd.function import BackwardCFunction

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.arguments import DifferentiatedInput, is_expandable
from gradviz.checks.diagnosis.rules.transposed import transposed
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import PerturbedRerun, trial_run
from gradviz.checks.diagnosis.support.rule import diagnosed, say_dimensions, yields
from gradviz.checks.output_parts import OutputPart, parts_of
from gradviz.checks.problem_messages import describe_exception
from gradviz.checks.reference.operation_edits import subsets
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.compat import DispatchMode
from gradviz.recorder.patching.signals import calls_user_code


class RawGradients(Struct, frozen=True, kw_only=True):
    """What backward returns for one input, and what it should return.

    Attributes:
        output_name: Name of the output.
        input: The input that it is returned for.
        numerical: Numerical Jacobian ``[input elements, output elements]``.
        gradients: ``[output elements, *shape of the returned gradient]``; None if something else
            than tensors of one shape is returned.
        is_constant: Whether it is the same for all incoming gradients, zeros included.
        may_sum: Whether backward calls an operation that may add up values.
    """

    output_name: str
    input: DifferentiatedInput
    numerical: Tensor
    gradients: Tensor | None
    is_constant: bool
    may_sum: bool

    @property
    def expected(self) -> tuple[int, ...]:
        """Shape of the input, which the gradient must have."""
        return tuple(self.input.tensor.shape)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape of the returned gradient; None if there is no single one."""
        return None if self.gradients is None else tuple(self.gradients.shape[1:])


def collect_raw_gradients(case: CheckContext) -> list[list[RawGradients]]:
    """For each real output made by a Function itself, what is returned for each input."""
    outputs = case.evaluator.evaluate()
    parts = [part for part in parts_of(outputs, differentiable=True) if part.part == ""]
    gradients = [_gradients(case, outputs, part) for part in parts]
    numerical = [
        case.evaluator.numerical(each, parts, case.settings.eps) for each in case.subject.tensors
    ]
    found = []
    for k, (part, given) in enumerate(zip(parts, gradients, strict=True)):
        if given is not None:
            rows, may_sum = given
            found.append(
                [
                    RawGradients(
                        output_name=case.output_names[part.output],
                        input=wanted,
                        numerical=numerical[i][k],
                        gradients=_stacked(rows[i][1:]),
                        is_constant=all(map(partial(_is_equal, rows[i][0]), rows[i][1:])),
                        may_sum=may_sum,
                    )
                    for i, wanted in enumerate(case.subject.inputs)
                ]
            )
    return found


def _is_equal(one: Any, other: Any) -> bool:
    both = isinstance(one, Tensor) and isinstance(other, Tensor)
    return both and one.shape == other.shape and torch.equal(one, other)


class _SummingMode(DispatchMode):
    """Mode that sees whether an operation is called that may add up values."""

    def __init__(self) -> None:
        super().__init__()
        self.may_sum = False

    @calls_user_code
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Intercept every operation."""
        if any(isinstance(each, Tensor) for each in args):
            self.may_sum |= not (func.is_view or torch.Tag.pointwise in func.tags)
        return func(*args, **(kwargs or {}))


def _gradients(
    case: CheckContext, outputs: tuple[Any, ...], part: OutputPart
) -> tuple[list[list[Any]], bool] | None:
    """For each input, what backward returns for zeros and for each output element.

    Returns:
        None if no node can be called; else the rows, and whether backward may have added up values.
    """
    node: Any = outputs[part.output].grad_fn
    places = _places(case, node)
    if places is None:
        return None
    # A node takes one gradient for each of its outputs, not only for the chosen one.
    own = [each for each in outputs if isinstance(each, Tensor) and each.grad_fn is node]
    chosen = next(k for k, each in enumerate(own) if each is outputs[part.output])
    rows: list[list[Any]] = [[] for _ in places]
    summing = _SummingMode()
    case.evaluations.expect(1 + part.shape.numel())
    for element in (None, *range(part.shape.numel())):
        case.evaluations.begin()
        incoming = [torch.zeros_like(each, memory_format=torch.contiguous_format) for each in own]
        if element is not None:
            incoming[chosen].view(-1)[element] = 1
        with torch.no_grad(), summing:
            # Without the engine, which would reject the very shape that is examined.
            returned = node.apply(*incoming)
        values = returned if isinstance(returned, tuple) else (returned,)
        for row, place in zip(rows, places, strict=True):
            row.append(values[place] if place < len(values) else None)
    return rows, summing.may_sum


def _places(case: CheckContext, node: Any) -> list[int] | None:
    """Position of each input's gradient among the returned ones; None if it is not clear."""
    if not isinstance(node, BackwardCFunction):
        return None
    requested = [k for k, needed in enumerate(node.needs_input_grad) if needed]
    edges = [edge for edge, _ in node.next_functions if edge is not None]
    # An argument that needs a gradient then has no edge, so the order says nothing.
    if len(requested) != len(edges):
        return None
    known = {
        id(getattr(edge, "variable", None)): k for k, edge in zip(requested, edges, strict=True)
    }
    found = [known.get(id(each)) for each in case.subject.tensors]
    return None if None in found else [each for each in found if each is not None]


def _stacked(rows: Sequence[Any]) -> Tensor | None:
    if not all(isinstance(each, Tensor) for each in rows):
        return None
    return torch.stack(list(rows)) if len({each.shape for each in rows}) == 1 else None


# Both limits are for permutations: 5 give 120.
_MOST_DIMENSIONS = 5
_MOST_INPUTS = 5


@yields(
    "transposed",
    "missing_sum",
    "extra_sum",
    "not_expanded",
    "wrong_gradient_shape",
    "swapped_gradients",
    "ignores_grad_output",
)
def find_refused_shapes(case: CheckContext) -> Iterable[Diagnosis]:
    """Examine what backward returned if the engine reported an invalid shape."""
    problems = case.findings.problems
    if not any(_REFUSAL in each.message for each in problems):
        return
    if any(each.code == "output_changed" for each in problems):
        return
    found: list[Diagnosis] = []
    with trial_run(case):
        for row in collect_raw_gradients(case):
            found = list(_exchanged(case, row)) or list(_each(case, row))
            if found:
                break
    yield from found


_REFUSAL = "returned an invalid gradient at index"


def _each(case: CheckContext, row: Sequence[RawGradients]) -> Iterator[Diagnosis]:
    for returned in row:
        if returned.gradients is None or _is_accepted(returned):
            continue
        readings = (_ignored, _transposed, _not_summed, _of_another_form, _summed_too_much)
        found = (reading(case, returned) for reading in readings)
        first = next((each for each in found if each is not None), None)
        if first is not None:
            yield first


def _is_accepted(returned: RawGradients) -> bool:
    """Whether the engine accepts it, as it is or summed over broadcast dimensions."""
    return is_expandable(returned.expected, returned.shape or ())


def _exchanged(case: CheckContext, row: Sequence[RawGradients]) -> Iterator[Diagnosis]:
    """Diagnose gradients each of which is correct for another input."""
    if not 1 < len(row) <= _MOST_INPUTS:
        return
    for chosen in permutations(range(len(row))):
        moved = [k for k, place in enumerate(chosen) if k != place]
        pairs = [(row[k], row[chosen[k]]) for k in range(len(row))]
        if not moved or not all(_is_of(case, one, other) for one, other in pairs):
            continue
        names = [row[k].input.name for k in moved]
        yield diagnosed(
            "swapped_gradients.two" if len(moved) == 2 else "swapped_gradients.several",
            evidence=tuple(
                say(
                    "swapped_gradients.rejected.evidence",
                    input=row[k].input.name,
                    other=row[chosen[k]].input.name,
                    shape=list(row[k].expected),
                )
                for k in moved
            ),
            inputs=say_list(names),
        )
        return


def _is_of(case: CheckContext, one: RawGradients, other: RawGradients) -> bool:
    """Whether the gradient returned for the second input is that of the first."""
    given = other.gradients
    return given is not None and other.shape == one.expected and _agrees(case, given, one.numerical)


def _ignored(_case: CheckContext, returned: RawGradients) -> Diagnosis | None:
    assert returned.gradients is not None
    if not returned.is_constant or not returned.gradients.any():
        return None
    name, position = returned.input.name, returned.input.position
    return diagnosed("ignores_grad_output.same", about=(None, position, ""), input=name)


def _transposed(case: CheckContext, returned: RawGradients) -> Diagnosis | None:
    shape = returned.shape or ()
    for order in permutations(range(len(shape))) if len(shape) <= _MOST_DIMENSIONS else ():
        if tuple(shape[k] for k in order) != returned.expected or list(order) == sorted(order):
            continue
        assert returned.gradients is not None
        permuted = returned.gradients.permute(0, *(k + 1 for k in order))
        if _agrees(case, permuted, returned.numerical):
            return _shape_diagnosis(returned, "transposed.rejected", order=list(order))
    return None


def _not_summed(case: CheckContext, returned: RawGradients) -> Diagnosis | None:
    shape, gradients = returned.shape or (), returned.gradients
    assert gradients is not None
    for over in _dimensions(shape):
        summed = gradients.sum([k + 1 for k in over])
        if summed.shape[1:].numel() == len(returned.numerical) and _agrees(
            case, summed, returned.numerical
        ):
            dimensions = say_dimensions(over)
            return _shape_diagnosis(returned, "missing_sum.rejected", dimensions=dimensions)
    return None


def _summed_too_much(case: CheckContext, returned: RawGradients) -> Diagnosis | None:
    expected, gradients = returned.expected, returned.gradients
    assert gradients is not None
    if not returned.may_sum:
        return None
    numerical = returned.numerical.t().reshape(-1, *expected)
    for over in _dimensions(expected):
        places = [k + 1 for k in over]
        for how, made in (("summed", numerical.sum(places)), ("averaged", numerical.mean(places))):
            if made.numel() == gradients.numel() and _agrees(
                case, gradients, made.reshape(len(made), -1).t()
            ):
                key = f"extra_sum.rejected.{how}"
                return _shape_diagnosis(returned, key, dimensions=say_dimensions(over))
    return None


def _of_another_form(case: CheckContext, returned: RawGradients) -> Diagnosis | None:
    """Diagnose correct values in a wrong shape."""
    gradients = returned.gradients
    assert gradients is not None
    if gradients.numel() == returned.numerical.numel():
        if _agrees(case, gradients, returned.numerical):
            return _shape_diagnosis(returned, "wrong_gradient_shape.message")
        return None
    for over in _dimensions(returned.expected):
        kept = [1 if k in over else size for k, size in enumerate(returned.expected)]
        if torch.Size(kept).numel() != gradients[0].numel():
            continue
        spread = gradients.reshape(len(gradients), *kept).expand(-1, *returned.expected)
        if _agrees(case, spread, returned.numerical):
            dimensions = say_dimensions(over)
            return _shape_diagnosis(returned, "not_expanded.message", dimensions=dimensions)
    return None


def _shape_diagnosis(returned: RawGradients, key: str, **values: object) -> Diagnosis:
    """Diagnose what backward returned; the template also gets the name and both shapes."""
    name = returned.input.name
    shapes = {"returned": list(returned.shape or ()), "expected": list(returned.expected)}
    return diagnosed(
        key.partition(".")[0],
        say(key, input=name, **shapes, **values),
        about=(None, returned.input.position, ""),
        evidence=(say("diagnosis.rejected.evidence", output=returned.output_name, input=name),),
    )


def _agrees(case: CheckContext, gradients: Tensor, numerical: Tensor) -> bool:
    """Whether gradients ``[output elements, ...]`` match ``[..., output elements]``."""
    ours = gradients.reshape(len(gradients), -1).t()
    if ours.shape != numerical.shape or ours.dtype != numerical.dtype:
        return False
    return torch.allclose(
        ours, numerical.to(ours.device), atol=case.settings.atol, rtol=case.settings.rtol
    )


def _dimensions(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Sets of dimensions, the smallest first."""
    return subsets(range(len(shape)) if len(shape) <= _MOST_DIMENSIONS else ())


@yields("transposed")
def find_size_mismatch(case: CheckContext) -> Iterable[Diagnosis]:
    """Yield one diagnosis per input whose gradient is transposed when all sizes are equal.

    A matrix product that lacks a transpose only runs if the matrices are square.
    """
    raised = map(describe_exception, case.findings.backward_errors)
    if not any(part in message for message in raised for part in _SIZES):
        return
    reruns = PerturbedRerun(case.subject, case.settings, case.evaluations)
    # With equal sizes the product runs, and its values show whether a transpose is missing.
    pairs = reruns.with_equal_sizes().values()
    wrong = [(pair, transposed(pair)) for pair in pairs if pair.block.wrong]
    if any(found is None for _, found in wrong):
        return
    yield from {
        pair.block.input: _transposed_diagnosis(pair, found) for pair, found in wrong if found
    }.values()


_SIZES = (
    "shapes cannot be multiplied",
    "size mismatch",
    "must match the size",
    "inconsistent tensor",
)
"""Parts of torch's messages about matrices whose sizes do not match."""


def _transposed_diagnosis(pair: JacobianPair, found: Diagnosis) -> Diagnosis:
    return diagnosed(
        "transposed.sizes",
        about=(None, pair.block.input, ""),
        confidence="likely",
        evidence=(
            say("transposed.sizes.evidence", shape=list(pair.input_shape), input=pair.input_name),
        ),
        found=found.message,
    )
