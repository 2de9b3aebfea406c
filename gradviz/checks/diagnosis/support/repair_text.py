"""Diagnoses of operations whose change makes the gradients right."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.investigations.factor import factor_name
from gradviz.checks.diagnosis.support.backward_repair import BackwardRepair
from gradviz.checks.diagnosis.support.dimension_text import say_dimensions
from gradviz.checks.diagnosis.support.jacobian_pair import common_place
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.reference.edited_backward import BackwardEdit
from gradviz.model.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True)
class EditFinding:
    """What a change of an operation shows.

    Attributes:
        code: The diagnosis.
        message: Its sentence.
        sure: Whether nothing in it was guessed.
    """

    code: str
    message: str
    sure: bool = True


def diagnosis_of(repair: BackwardRepair, edit: BackwardEdit, finding: EditFinding) -> Diagnosis:
    """The diagnosis of one of the changes of a repair."""
    pairs = repair.pairs
    others = [each for each in repair.edits if each is not edit]
    changes = [_change(repair, each) for each in (edit, *others)]
    evidence = [
        say(
            "diagnosis.edited.two" if others else "diagnosis.edited",
            wrong=0,
            count=sum(pair.numerical.numel() for pair in pairs),
            change=changes[0],
            other=changes[-1],
        )
    ]
    if repair.is_sure:
        evidence.append(say("diagnosis.moved"))
    return diagnosed(
        finding.code,
        finding.message,
        about=common_place(pairs),
        confidence="certain" if finding.sure and repair.is_sure else "likely",
        evidence=tuple(evidence),
        repair=pairs[0].repair(" ".join(changes), repair.matrices[0])
        if len(pairs) == len(repair.matrices) == 1
        else None,
    )


def _change(repair: BackwardRepair, edit: BackwardEdit) -> str:
    """What to do, as an imperative sentence."""
    return say(f"diagnosis.edited.{edit.option.kind}.repair", **edit_values(repair, edit))


def edit_values(repair: BackwardRepair, edit: BackwardEdit) -> dict[str, object]:
    """What the sentences about a change name."""
    names = list(dict.fromkeys(pair.input_name for pair in repair.pairs))
    call, option = edit.calls[-1], edit.option
    dims, other = option.dims, repair.values.get(option.name, option.name)
    other = f"{option.function}({other})" if option.function else other
    return {
        "inputs": say_list(names),
        "line": str(call.line),
        "operation": f"`{call.written}`" if call.written else call.name,
        "factor": factor_name(edit.factor),
        "dims": dims[0] if len(dims) == 1 else f"({', '.join(map(str, dims))})",
        "dimensions": say_dimensions(dims) if dims else "",
        "value": f"{option.value:g}",
        "other": say("diagnosis.value.transpose", value=other) if option.transposes else other,
        "amount": factor_name(abs(edit.factor)),
    }
