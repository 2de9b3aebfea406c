"""Investigation of gradients that the engine rejects for their shape, by their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations

import torch
from torch import Tensor

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.returned import Returned, everything_returned
from gradviz.checks.diagnosis.trial_run import trial_run
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.messages import say_list

_MOST_DIMENSIONS = 5
_MOST_INPUTS = 5


def refused(case: Case) -> Iterable[Diagnosis]:
    """Examine what backward returned if the engine reported an invalid shape."""
    problems = case.findings.problems
    if not any(_REFUSAL in each.message for each in problems):
        return
    if any(each.code == "output_changed" for each in problems):
        return
    found: list[Diagnosis] = []
    with trial_run(case) as attempt:
        for row in everything_returned(case):
            found = list(_exchanged(case, row)) or list(_each(case, row))
            if found:
                break
    if attempt.error is None:
        yield from found


_REFUSAL = "returned an invalid gradient at index"


def _each(case: Case, row: Sequence[Returned]) -> Iterator[Diagnosis]:
    for returned in row:
        if returned.gradients is None or _is_accepted(returned):
            continue
        readings = (_transposed, _not_summed, _of_another_form, _summed_too_much)
        found = (reading(case, returned) for reading in readings)
        first = next((each for each in found if each is not None), None)
        if first is not None:
            yield first


def _is_accepted(returned: Returned) -> bool:
    """Whether the engine accepts it, as it is or summed over broadcast dimensions."""
    expected, shape = returned.expected, returned.shape or ()
    if len(expected) > len(shape):
        return False
    pairs = zip(reversed(expected), reversed(shape), strict=False)
    return all(size in (1, wide) for size, wide in pairs)


def _exchanged(case: Case, row: Sequence[Returned]) -> Iterator[Diagnosis]:
    """Diagnose gradients each of which is correct for another input."""
    if not 1 < len(row) <= _MOST_INPUTS:
        return
    for chosen in permutations(range(len(row))):
        moved = [k for k, place in enumerate(chosen) if k != place]
        pairs = [(row[k], row[chosen[k]]) for k in range(len(row))]
        if not moved or not all(_is_of(case, one, other) for one, other in pairs):
            continue
        names = [row[k].input.name for k in moved]
        yield Diagnosis(
            code="swapped_gradients",
            message=(
                f"The gradients of {say_list(names)} are swapped: backward has to return "
                "them in the order of forward's arguments."
            ),
            output=None,
            input=None,
            evidence=tuple(
                f"The gradient returned for {row[chosen[k]].input.name} has the shape "
                f"{list(row[k].expected)} of {row[k].input.name} and agrees with the "
                "numerical Jacobian of that input."
                for k in moved
            ),
        )
        return


def _is_of(case: Case, one: Returned, other: Returned) -> bool:
    """Whether the gradient returned for the second input is that of the first."""
    given = other.gradients
    return given is not None and _takes(one, other) and _agrees(case, given, one.numerical)


def _takes(one: Returned, other: Returned) -> bool:
    return other.shape == one.expected


def _transposed(case: Case, returned: Returned) -> Diagnosis | None:
    shape = returned.shape or ()
    for order in permutations(range(len(shape))) if len(shape) <= _MOST_DIMENSIONS else ():
        if tuple(shape[k] for k in order) != returned.expected or list(order) == sorted(order):
            continue
        assert returned.gradients is not None
        permuted = returned.gradients.permute(0, *(k + 1 for k in order))
        if _agrees(case, permuted, returned.numerical):
            return _told(
                returned,
                "transposed",
                f"The gradient of {returned.input.name} is returned transposed: "
                f"{_shapes(returned)} Permute its dimensions to the order {list(order)}.",
            )
    return None


def _not_summed(case: Case, returned: Returned) -> Diagnosis | None:
    shape, gradients = returned.shape or (), returned.gradients
    assert gradients is not None
    for over in _dimensions(shape):
        summed = gradients.sum([k + 1 for k in over])
        if summed.shape[1:].numel() == len(returned.numerical) and _agrees(
            case, summed, returned.numerical
        ):
            return _told(
                returned,
                "missing_sum",
                f"The gradient of {returned.input.name} is not summed over "
                f"{_listed(over)} of the returned tensor: {_shapes(returned)} With this "
                "sum, it is correct.",
            )
    return None


def _summed_too_much(case: Case, returned: Returned) -> Diagnosis | None:
    expected, gradients = returned.expected, returned.gradients
    assert gradients is not None
    numerical = returned.numerical.t().reshape(-1, *expected)
    for over in _dimensions(expected):
        places = [k + 1 for k in over]
        for how, made in (("summed", numerical.sum(places)), ("averaged", numerical.mean(places))):
            if made.numel() == gradients.numel() and _agrees(
                case, gradients, made.reshape(len(made), -1).t()
            ):
                return _told(
                    returned,
                    "extra_sum",
                    f"The gradient of {returned.input.name} is {how} over {_listed(over)} "
                    f"by mistake: {_shapes(returned)} Remove this reduction.",
                )
    return None


def _of_another_form(case: Case, returned: Returned) -> Diagnosis | None:
    """Diagnose correct values in a wrong shape; this cause has no code yet."""
    gradients = returned.gradients
    assert gradients is not None
    if gradients.numel() == returned.numerical.numel():
        if _agrees(case, gradients, returned.numerical):
            return _told(
                returned,
                "unknown",
                f"The gradient of {returned.input.name} has the correct values in the "
                f"wrong shape: {_shapes(returned)} Look for a squeeze, view or reshape.",
            )
        return None
    for over in _dimensions(returned.expected):
        kept = [1 if k in over else size for k, size in enumerate(returned.expected)]
        if torch.Size(kept).numel() != gradients[0].numel():
            continue
        spread = gradients.reshape(len(gradients), *kept).expand(-1, *returned.expected)
        if _agrees(case, spread, returned.numerical):
            return _told(
                returned,
                "unknown",
                f"The gradient of {returned.input.name} is not expanded over "
                f"{_listed(over)}: {_shapes(returned)} Use .unsqueeze() and .expand().",
            )
    return None


def _told(returned: Returned, code: str, message: str) -> Diagnosis:
    return Diagnosis(
        code=code,
        message=message,
        output=None,
        input=returned.input.position,
        evidence=(
            f"Backward was called for each element of {returned.output_name}, and the "
            f"result was compared with the numerical Jacobian of {returned.input.name}.",
        ),
    )


def _agrees(case: Case, gradients: Tensor, numerical: Tensor) -> bool:
    """Whether gradients ``[output elements, ...]`` match ``[..., output elements]``."""
    ours = gradients.reshape(len(gradients), -1).t()
    if ours.shape != numerical.shape or ours.dtype != numerical.dtype:
        return False
    return torch.allclose(
        ours, numerical.to(ours.device), atol=case.settings.atol, rtol=case.settings.rtol
    )


def _dimensions(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Sets of dimensions, the smallest first."""
    chosen = range(len(shape)) if len(shape) <= _MOST_DIMENSIONS else ()
    for count in range(1, len(chosen) + 1):
        yield from combinations(chosen, count)


def _listed(dimensions: tuple[int, ...]) -> str:
    if len(dimensions) == 1:
        return f"dimension {dimensions[0]}"
    return f"dimensions {', '.join(map(str, dimensions[:-1]))} and {dimensions[-1]}"


def _shapes(returned: Returned) -> str:
    return (
        f"backward returns a gradient of shape {list(returned.shape or ())}, but "
        f"{returned.input.name} has shape {list(returned.expected)}."
    )
