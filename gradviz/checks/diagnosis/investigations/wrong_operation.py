"""Investigation of single operations of backward: a change of one makes the gradients right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradviz.catalogue.diagnoses.numbers.factor_batch_size import FACTOR_BATCH_SIZE
from gradviz.catalogue.diagnoses.numbers.factor_constant import FACTOR_CONSTANT
from gradviz.catalogue.diagnoses.numbers.factor_sign import FACTOR_SIGN
from gradviz.catalogue.diagnoses.numbers.missing_sum import MISSING_SUM
from gradviz.catalogue.diagnoses.numbers.surplus_term import SURPLUS_TERM
from gradviz.catalogue.diagnoses.numbers.transposed import TRANSPOSED
from gradviz.catalogue.diagnoses.numbers.wrong_some_indices import WRONG_SOME_INDICES
from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.investigations.factor import factor_name, sizes_of, unexplained
from gradviz.checks.diagnosis.rules.wrong_some_indices import wrong_for_some_indices
from gradviz.checks.diagnosis.support.backward_repair import BackwardRepair, find_backward_repairs
from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis

_LEAST_SIZE = 3
"""2 is a common constant, whatever it comes from."""


@yields(WRONG_SOME_INDICES, MISSING_SUM)
def find_overwritten(case: DiagnosisCase) -> Iterator[Diagnosis]:
    """Find writes to repeated indices that keep only one of several values."""
    for repair in find_backward_repairs(case, list(unexplained(case)), ["accumulate"]):
        some_right = any(map(_has_right_rows, repair.pairs))
        code = WRONG_SOME_INDICES.code if some_right else MISSING_SUM.code
        message = say("diagnosis.overwritten", **_values(repair))
        yield _diagnosis(repair, code, message, sure=True)


def _has_right_rows(pair: JacobianPair) -> bool:
    """Whether some elements of the input have a gradient, and the right one."""
    allowed = pair.atol + pair.rtol * pair.numerical.abs()
    right = ((pair.analytical - pair.numerical).abs() <= allowed).all(1)
    return bool((right & pair.support(pair.numerical).any(1)).any())


@yields(
    TRANSPOSED,
    FACTOR_SIGN,
    FACTOR_CONSTANT,
    FACTOR_BATCH_SIZE,
    SURPLUS_TERM,
    WRONG_SOME_INDICES,
)
def find_wrong_operations(case: DiagnosisCase) -> Iterator[Diagnosis]:
    """Find operations with a transposed operand, or whose result has a wrong factor."""
    pairs = list(unexplained(case))
    for repair in find_backward_repairs(case, pairs, ["first", "second", "scale"]):
        found = _of_operation(case, repair)
        at_indices = wrong_for_some_indices(repair.pairs[0]) if len(repair.pairs) == 1 else None
        yield found if at_indices is None else _with_operation(at_indices, found)


def _with_operation(found: Diagnosis, operation: Diagnosis) -> Diagnosis:
    """A diagnosis of indices with the operation that is wrong there."""
    return replace(
        found,
        message=say("diagnosis.and_operation", found=found.message, operation=operation.message),
        evidence=(*found.evidence, *operation.evidence),
        repair=operation.repair,
    )


def _of_operation(case: DiagnosisCase, repair: BackwardRepair) -> Diagnosis:
    values, factor = _values(repair), repair.edit.factor
    if repair.edit.kind != "scale":
        message = say(f"transposed.operand.{repair.edit.kind}", **values)
        return _diagnosis(repair, TRANSPOSED.code, message, sure=True)
    if factor == 0:
        return _diagnosis(
            repair, SURPLUS_TERM.code, say("surplus_term.operation", **values), sure=True
        )
    if factor == -1:
        return _diagnosis(
            repair, FACTOR_SIGN.code, say("factor_sign.operation", **values), sure=True
        )
    sentence = say("factor_constant.operation", **{**values, "factor": factor_name(1 / factor)})
    for size in sizes_of(case):
        if size >= _LEAST_SIZE and any(
            abs(abs(each) - size) <= 1e-6 * size for each in (factor, 1 / factor)
        ):
            origin = say("factor_batch_size.guessed", size=size)
            message = say("factor_constant.and_origin", sentence=sentence, origin=origin)
            return _diagnosis(repair, FACTOR_BATCH_SIZE.code, message, sure=False)
    return _diagnosis(repair, FACTOR_CONSTANT.code, sentence, sure=_is_simple(factor))


def _is_simple(factor: float) -> bool:
    """Whether a factor has a name, which a measured one has only by chance."""
    return "." not in factor_name(factor)


def _values(repair: BackwardRepair) -> dict[str, object]:
    names = list(dict.fromkeys(pair.input_name for pair in repair.pairs))
    call = repair.edit.calls[-1]
    return {
        "inputs": say_list(names),
        "line": str(call.line),
        "operation": call.name,
        "factor": factor_name(repair.edit.factor),
    }


def _diagnosis(repair: BackwardRepair, code: str, message: str, *, sure: bool) -> Diagnosis:
    values, kind, pairs = _values(repair), repair.edit.kind, repair.pairs
    inputs, outputs = ({getattr(p.block, place) for p in pairs} for place in ("input", "output"))
    parts = {pair.block.part for pair in pairs}
    count = sum(pair.numerical.numel() for pair in pairs)
    evidence = [say(f"diagnosis.edited.{kind}", wrong=0, count=count, **values)]
    if repair.is_sure:
        evidence.append(say("diagnosis.moved"))
    return Diagnosis(
        code=code,
        message=message,
        output=pairs[0].block.output if len(outputs) == len(parts) == 1 else None,
        input=pairs[0].block.input if len(inputs) == 1 else None,
        part=pairs[0].block.part if len(parts) == 1 else "",
        confidence="certain" if sure and repair.is_sure else "likely",
        evidence=tuple(evidence),
        repair=(
            pairs[0].repair(say(f"diagnosis.edited.{kind}.repair", **values), repair.matrices[0])
            if len(pairs) == len(repair.matrices) == 1
            else None
        ),
    )
