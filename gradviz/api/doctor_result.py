"""Result of ``gradviz.doctor``: the findings, and what was looked at to find them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from gradviz.catalogue.visible_text import visible_text
from gradviz.export.doctor.html import doctor_html
from gradviz.export.doctor.text import doctor_lines
from gradviz.linter.coverage import Coverage
from gradviz.linter.doctor_finding import DoctorFinding


class DoctorResult(tuple[DoctorFinding, ...]):
    """A tuple of findings that also tells which rules were checked.

    No findings are a good sign only for the rules in ``coverage.checked``. ``print(result)`` prints
    the text of ``gradviz doctor``: the findings, what was checked, and what the other rules need.

    Attributes:
        coverage: What was looked at.
    """

    coverage: Coverage

    def __new__(cls, findings: Iterable[DoctorFinding], coverage: Coverage) -> Self:
        """Combine the findings with what was looked at."""
        made = super().__new__(cls, findings)
        made.coverage = coverage
        return made

    def __getnewargs__(self) -> tuple[tuple[DoctorFinding, ...], Coverage]:
        """Arguments with which a copy is made."""
        return tuple(self), self.coverage

    def __str__(self) -> str:
        """Text of ``gradviz doctor``."""
        return "\n".join(map(visible_text, doctor_lines(self, (self.coverage,))))

    def _repr_html_(self) -> str:
        """HTML for notebooks: a table, and what was checked."""
        return doctor_html(self, (self.coverage,))

    def __repr__(self) -> str:
        """The findings, one in a line, and how many rules were checked."""
        checked, selected = len(self.coverage.checked), len(self.coverage.selected)
        name = self.coverage.paths[0]
        first = f"<DoctorResult {name} findings={len(self)} checked={checked}/{selected}>"
        return "\n  ".join((first, *map(repr, self)))
