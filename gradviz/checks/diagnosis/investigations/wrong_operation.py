"""Investigation of single operations of backward: a change of one makes the gradients right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.investigations.factor import factor_name, sizes_of, unexplained
from gradviz.checks.diagnosis.rules.wrong_some_indices import wrong_for_a_condition
from gradviz.checks.diagnosis.support.backward_repair import (
    BackwardRepair,
    find_backward_repairs,
    find_double_repairs,
    is_simple,
)
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.repair_text import EditFinding, diagnosis_of, edit_values
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.checks.reference.edited_backward import BackwardEdit
from gradviz.checks.reference.operation_edits import EditKind
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis

_EXACT: Sequence[EditKind] = (
    "first",
    "second",
    "conjugate_first",
    "conjugate_second",
    "unconjugate",
    "omit",  # Before all changes that may give zeros as well.
    "keepdim",
    "dimension",
    "reverse",
    "unflip",
    "flip",
    "flip_second",
    "replace",
    "exchange",
    "exponent",
)
"""Changes without a measured number."""

_POWERS: Sequence[EditKind] = ("square_first", "square_second", "root_first", "root_second")
_BY_VALUES: Sequence[EditKind] = (
    "multiply",
    "divide",
    "use_first",
    "use_second",
    "left_product",
    "right_product",
)
_NEGATED: Sequence[EditKind] = ("negate_first", "negate_second")
_LEAST_SIZE = 3
"""2 is a common constant, whatever it comes from."""

_FIXED: dict[EditKind, tuple[str, str]] = {
    "accumulate": ("missing_sum", "diagnosis.overwritten"),
    "first": ("transposed", "transposed.operand.first"),
    "second": ("transposed", "transposed.operand.second"),
    "conjugate_first": ("missing_conjugate", "missing_conjugate.first"),
    "conjugate_second": ("missing_conjugate", "missing_conjugate.second"),
    "unconjugate": ("missing_conjugate", "missing_conjugate.surplus"),
    "omit": ("surplus_term", "surplus_term.operation"),
    "negate_first": ("factor_sign", "factor_sign.first"),
    "negate_second": ("factor_sign", "factor_sign.second"),
    "total": ("missing_sum", "missing_sum.operation"),
}
"""Code and sentence of changes that always have the same ones."""

_REVERSED = {
    "cumsum": "cumsum",
    "roll": "roll",
    "fft_c2c": "fft",
    "linalg_solve_triangular": "solve",
    "linalg_solve_ex": "solve",
}
"""Sentences on reversed operations; those on all others are about permutations."""

_SUMS = ("sum", "mean")


@yields("wrong_some_indices", "missing_sum", "transposed")
def find_specific_operations(case: CheckContext) -> Iterator[Diagnosis]:
    """Find mistakes that the Jacobians show too, but less exactly.

    These are writes to repeated indices that keep only one of several values, and operations where
    their transpose is needed.
    """
    pairs = list(unexplained(case))
    for repair in find_backward_repairs(case, pairs, ["accumulate", "reverse"]):
        found = _diagnosis(case, repair)
        if repair.edits[0].option.kind == "accumulate" and any(map(_has_right_rows, repair.pairs)):
            found = replace(found, code="wrong_some_indices")
        yield found


def _has_right_rows(pair: JacobianPair) -> bool:
    """Whether some elements of the input have a gradient, and the right one."""
    allowed = pair.atol + pair.rtol * pair.numerical.abs()
    right = ((pair.analytical - pair.numerical).abs() <= allowed).all(1)
    return bool((right & pair.support(pair.numerical).any(1)).any())


@yields(
    "transposed",
    "factor_sign",
    "factor_constant",
    "factor_batch_size",
    "surplus_term",
    "wrong_some_indices",
    "missing_conjugate",
    "missing_sum",
    "extra_sum",
    "wrong_operation",
)
def find_wrong_operations(case: CheckContext) -> Iterator[Diagnosis]:
    """Find operations with a wrong operand or argument, or whose result has a wrong factor."""
    pairs = list(unexplained(case))
    for repair in find_backward_repairs(
        case, pairs, [*_EXACT, "scale", *_NEGATED, "total", "shift", *_POWERS]
    ):
        yield _at_indices(repair, _diagnosis(case, repair))


@yields("wrong_operation", "wrong_some_indices")
def find_missing_operands(case: CheckContext) -> Iterator[Diagnosis]:
    """Find results that lack a factor that is at hand, or have one too many, and wrong operands."""
    if case.was_found("swapped_gradients"):  # The right operand is in the other gradient.
        return
    pairs = list(unexplained(case))
    for repair in find_backward_repairs(case, pairs, _BY_VALUES):
        yield _at_indices(repair, _diagnosis(case, repair))


@yields(
    "transposed",
    "factor_sign",
    "factor_constant",
    "factor_batch_size",
    "surplus_term",
    "missing_conjugate",
    "missing_sum",
    "extra_sum",
    "wrong_operation",
)
def find_two_operations(case: CheckContext) -> Iterator[Diagnosis]:
    """Find two operations that only together make the gradients right."""
    for repair in find_double_repairs(case, list(unexplained(case)), _EXACT):
        for edit in repair.edits:
            yield diagnosis_of(repair, edit, _finding(case, repair, edit))


def _diagnosis(case: CheckContext, repair: BackwardRepair) -> Diagnosis:
    (edit,) = repair.edits
    return diagnosis_of(repair, edit, _finding(case, repair, edit))


def _at_indices(repair: BackwardRepair, operation: Diagnosis) -> Diagnosis:
    """A diagnosis that also says at which indices the operation is wrong, if only at some."""
    found = wrong_for_a_condition(repair.pairs[0]) if len(repair.pairs) == 1 else None
    if found is None:
        return operation
    return replace(
        found,
        message=say("diagnosis.and_operation", found=found.message, operation=operation.message),
        evidence=(*found.evidence, *operation.evidence),
        repair=operation.repair,
    )


def _finding(case: CheckContext, repair: BackwardRepair, edit: BackwardEdit) -> EditFinding:
    values, kind = edit_values(repair, edit), edit.option.kind
    if kind == "scale":
        return _of_factor(case, edit, values)
    if kind in _FIXED:
        code, key = _FIXED[kind]
        return EditFinding(code, say(key, **values))
    if kind in ("keepdim", "dimension"):
        return _of_dimensions(edit, values)
    if kind == "reverse":
        key = _REVERSED.get(edit.calls[-1].name, "permutation")
        return EditFinding("transposed", say(f"transposed.reverse.{key}", **values))
    if kind == "shift":
        key = "small" if edit.factor > 0 else "large"
        sure = is_simple(edit.factor)
        return EditFinding("wrong_operation", say(f"wrong_operation.{key}", **values), sure)
    return EditFinding("wrong_operation", say(f"wrong_operation.{kind}", **values))


def _of_dimensions(edit: BackwardEdit, values: dict[str, object]) -> EditFinding:
    call, dims = edit.calls[-1], edit.option.dims
    if call.reduced == dims:
        return EditFinding("wrong_operation", say("wrong_operation.keepdim", **values))
    if call.name not in _SUMS:
        return EditFinding("wrong_operation", say("wrong_operation.dimension", **values))
    if set(dims) < set(call.reduced):
        return EditFinding("extra_sum", say("extra_sum.operation", **values))
    return EditFinding("missing_sum", say("missing_sum.operation.dimension", **values))


def _of_factor(case: CheckContext, edit: BackwardEdit, values: dict[str, object]) -> EditFinding:
    factor = edit.factor
    if factor == -1:
        return EditFinding("factor_sign", say("factor_sign.operation", **values))
    sentence = say("factor_constant.operation", **{**values, "factor": factor_name(1 / factor)})
    for size in sizes_of(case):
        if size >= _LEAST_SIZE and any(
            abs(abs(each) - size) <= 1e-6 * size for each in (factor, 1 / factor)
        ):
            origin = say("factor_batch_size.guessed", size=size)
            message = say("factor_constant.and_origin", sentence=sentence, origin=origin)
            return EditFinding("factor_batch_size", message, sure=False)
    return EditFinding("factor_constant", sentence, sure="." not in factor_name(factor))
