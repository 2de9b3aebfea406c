"""Diagnoses, and the rules and investigations that find them and declare which they can yield."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from gradviz.catalogue.diagnoses import DIAGNOSES
from gradviz.catalogue.messages import say, say_list
from gradviz.model.diagnosis import BlockPlace, Confidence, Diagnosis, Repair


def say_dimensions(dimensions: Sequence[int]) -> str:
    """For example ``dimension 0`` or ``dimensions 0 and 2``."""
    key = "diagnosis.dimension" if len(dimensions) == 1 else "diagnosis.dimensions"
    return say(key, dimensions=say_list([str(each) for each in dimensions]))


def say_dimensions_of(dimensions: Sequence[int], name: str) -> str:
    """For example ``dimension 0 of x``."""
    return say("diagnosis.of", dimensions=say_dimensions(dimensions), name=name)


UNSTEADY = frozenset({"nondeterministic", "hidden_state", "inplace_damage"})
"""Codes of diagnoses after which results of equal calls may differ by themselves."""


def diagnosed(
    key: str,
    message: str | None = None,
    *,
    about: BlockPlace = (None, None, ""),
    confidence: Confidence = "certain",
    evidence: tuple[str, ...] = (),
    repair: Repair | None = None,
    **values: object,
) -> Diagnosis:
    """The diagnosis that a sentence of the catalogue states.

    Args:
        key: Of the sentence; begins with the diagnosis's code.
        message: A sentence that is stored elsewhere; the key is then the code alone.
        about: Which Jacobians it is about; by default all of them.
        confidence: How certain it is.
        evidence: Sentences on what supports it.
        repair: A correction that was tried.
        values: Values of the sentence.

    Raises:
        LookupError: If the catalogue has no diagnosis of that code.
    """
    output, argument, part = about
    return Diagnosis(
        code=DIAGNOSES[key.partition(".")[0]].code,
        message=say(key, **values) if message is None else message,
        output=output,
        input=argument,
        part=part,
        confidence=confidence,
        evidence=evidence,
        repair=repair,
    )


In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class DiagnosisRule(Struct, Generic[In_contra, Out_co], frozen=True):
    """A function that examines a pair or a case.

    Attributes:
        find: Returns what was found.
        yields: Codes of the diagnoses that it can find.
    """

    find: Callable[[In_contra], Out_co]
    yields: tuple[str, ...]

    def __call__(self, subject: In_contra) -> Out_co:
        """What the function finds."""
        return self.find(subject)

    def declared(self, found: Diagnosis) -> Diagnosis:
        """The diagnosis itself.

        Raises:
            LookupError: If the rule does not declare it.
        """
        if found.code not in self.yields:
            raise LookupError(f"undeclared diagnosis {found.code}")
        return found


def yields(
    *codes: str,
) -> Callable[[Callable[[In_contra], Out_co]], DiagnosisRule[In_contra, Out_co]]:
    """Declare the diagnoses that a function can find, as its decorator.

    Raises:
        LookupError: If the catalogue has no diagnosis of a code.
    """
    if unknown := set(codes) - DIAGNOSES.keys():
        raise LookupError(f"undeclared diagnosis {min(unknown)}")

    def declare(
        find: Callable[[In_contra], Out_co],
    ) -> DiagnosisRule[In_contra, Out_co]:
        return DiagnosisRule(find, codes)

    return declare
