"""Rules and investigations: functions that find diagnoses, and which ones they can yield."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from gradviz.catalogue.diagnoses import codes_of
from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo
from gradviz.model.diagnosis import Diagnosis

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


@dataclass(frozen=True, slots=True)
class DiagnosisRule(Generic[In_contra, Out_co]):
    """A function that examines a pair or a case.

    Attributes:
        find: Returns what was found.
        yields: The diagnoses that it can find.
    """

    find: Callable[[In_contra], Out_co]
    yields: tuple[DiagnosisInfo, ...]

    def __call__(self, subject: In_contra) -> Out_co:
        """What the function finds."""
        return self.find(subject)

    def declared(self, found: Diagnosis) -> Diagnosis:
        """The diagnosis itself.

        Raises:
            LookupError: If the rule does not declare it.
        """
        if found.code not in codes_of(self.yields):
            raise LookupError(f"undeclared diagnosis {found.code}")
        return found


def yields(
    *diagnoses: DiagnosisInfo,
) -> Callable[[Callable[[In_contra], Out_co]], DiagnosisRule[In_contra, Out_co]]:
    """Declare the diagnoses that a function can find, as its decorator."""

    def declare(
        find: Callable[[In_contra], Out_co],
    ) -> DiagnosisRule[In_contra, Out_co]:
        return DiagnosisRule(find, diagnoses)

    return declare
