"""One diagnosis for several inputs whose gradients have the same mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from msgspec import structs

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.model.diagnosis import Diagnosis

PairDiagnosis = Callable[[JacobianPair], Diagnosis | None]


def shared_diagnoses(pairs: Iterable[JacobianPair], find: PairDiagnosis) -> Iterator[Diagnosis]:
    """Diagnose pairs, those of several inputs together if the same sentence is true of them."""
    found: dict[tuple[str, int, str], list[tuple[JacobianPair, Diagnosis]]] = {}
    for pair in pairs:
        diagnosis = find(pair)
        if diagnosis is not None:
            key = diagnosis.code, pair.block.output, pair.block.part
            found.setdefault(key, []).append((pair, diagnosis))
    for group in found.values():
        together = _together(group, find) if len(group) > 1 else None
        yield from (each for _, each in group) if together is None else (together,)


def _together(
    group: Sequence[tuple[JacobianPair, Diagnosis]], find: PairDiagnosis
) -> Diagnosis | None:
    """The diagnosis of all inputs of a group; None if their sentences differ by more than names."""
    inputs = [pair.input_name for pair, _ in group]
    names = say_list(inputs)
    renamed = [structs.replace(pair.block, input_name=names) for pair, _ in group]
    again = [
        find(replace(pair, block=block)) for (pair, _), block in zip(group, renamed, strict=True)
    ]
    messages = {each.message for each in again if each is not None}
    if None in again or len(messages) > 1:
        return None
    given = [each for _, each in group]
    common = tuple(each for each in given[0].evidence if all(each in one.evidence for one in given))
    return structs.replace(
        given[0],
        message=_with_indices(messages.pop(), inputs),
        input=None,
        confidence="certain" if {each.confidence for each in given} == {"certain"} else "likely",
        evidence=(*common, say("diagnosis.shared", inputs=names)),
        repair=None,
    )


def _with_indices(message: str, inputs: Sequence[str]) -> str:
    """A sentence about several inputs, with an index after each name instead of the last one."""
    indexed = re.compile(re.escape(say_list(list(inputs))) + r"(\[[^]]*])")
    return indexed.sub(lambda found: say_list([each + found[1] for each in inputs]), message)
