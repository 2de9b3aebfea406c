"""What ``gradviz.check`` found: a value that is true or false, prints itself and shows itself."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.export.check_html import check_html
from gradviz.export.check_json import check_document
from gradviz.export.check_npz import matrices_of, write_npz
from gradviz.export.check_svg import check_svg, theme_paint
from gradviz.export.check_text import check_text
from gradviz.export.check_verdict import verdict_words
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis, Trial
from gradviz.model.jacobian import CheckProblem, JacobianBlock, JacobianReport, Verdict
from gradviz.model.palette import Theme
from gradviz.model.tensor import Values
from gradviz.model.trace import Trace


class CheckResult:
    """What a check found.

    ``bool(result)`` is `passed`, so that ``assert gradviz.check(fn, inputs)`` is a test;
    ``print(result)`` is what ``gradviz check`` prints. A notebook shows heatmaps.
    """

    def __init__(
        self, trace: Trace, report: JacobianReport, values: Values, settings: CheckSettings
    ) -> None:
        self._trace = trace
        self._report = report
        self._values = values
        self._settings = settings

    @property
    def report(self) -> JacobianReport:
        """Everything but the matrices, as a value."""
        return self._report

    @property
    def settings(self) -> CheckSettings:
        """What was asked for."""
        return self._settings

    @property
    def passed(self) -> bool:
        """Whether gradcheck agrees and nothing that it cannot see speaks against the function."""
        return self._report.passed

    @property
    def verdict(self) -> Verdict:
        """``match`` where gradcheck says True, ``mismatch`` where False, ``error`` if it raises."""
        return self._report.verdict

    @property
    def diagnosis(self) -> str:
        """The code of the first diagnosis, like ``transposed``; ``none`` where nothing is wrong."""
        return self.diagnoses[0].code if self.diagnoses else "unknown"

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """What is wrong, in words, the surest and most telling first."""
        return self._report.diagnoses

    @property
    def problems(self) -> tuple[CheckProblem, ...]:
        """What other than a differing element is wrong, like an exception; and hints."""
        return self._report.problems

    @property
    def blocks(self) -> tuple[JacobianBlock, ...]:
        """One for each pair of an output and an input."""
        return self._report.blocks

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Other incoming gradients and other inputs that were tried."""
        return self._report.trials

    def matrix(
        self, block: JacobianBlock | str | int = 0, kind: str = "analytical"
    ) -> npt.NDArray[Any]:
        """A matrix of a pair, ``[input elements, output elements]``.

        Args:
            block: One of `blocks`, its position there, or its name: of the input, or
                ``OUTPUT/INPUT``.
            kind: ``numerical``, ``analytical``, ``difference`` (analytical minus numerical), or
                where there is one ``forward``, ``reference``, ``spread`` or ``repaired``.

        Raises:
            ValueError: If there is no such pair, or it has no such matrix; says which there are.
        """
        chosen = self._block(block)
        if kind == "difference":
            found: npt.NDArray[Any] = self.matrix(chosen, "analytical") - self.matrix(
                chosen, "numerical"
            )
            return found
        numbers = dict(matrices_of(self._report, chosen))
        value = self._values(numbers[kind]) if kind in numbers else None
        if value is None:
            raise ValueError(f"there is no matrix {kind!r}; there are {', '.join(numbers)}")
        return np.array(value.array())

    def to_dict(self) -> dict[str, Any]:
        """What ``gradviz check --json`` prints; large matrices as a sample."""
        return check_document(self._trace, self._report, self._values, self._settings)

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), ensure_ascii=True, allow_nan=False, indent=1)

    def save_npz(self, path: str | PathLike[str]) -> None:
        """Writes all matrices into a file that ``numpy.load`` reads without pickle.

        Raises:
            OSError: If it cannot be written.
        """
        write_npz(Path(path), self._report, self._values)

    def save_svg(
        self, path: str | PathLike[str], *, theme: Theme = "light", pair: str = ""
    ) -> None:
        """Writes the heatmaps as a figure.

        Args:
            path: The file; one that is there is replaced.
            theme: ``light`` or ``dark``.
            pair: Only those of this input, or of ``OUTPUT/INPUT``.

        Raises:
            ValueError: If there is no such pair.
            OSError: If it cannot be written.
        """
        Path(path).write_text(self._svg(theme, pair), encoding="utf-8")

    def save_png(
        self, path: str | PathLike[str], *, theme: Theme = "light", pair: str = ""
    ) -> None:
        """Writes the same as a picture; a child process paints it, with Qt.

        Args:
            path: The file, ending in ``.png``; one that is there is replaced.
            theme: ``light`` or ``dark``.
            pair: Only those of this input, or of ``OUTPUT/INPUT``.

        Raises:
            ValueError: If there is no such pair, or the name ends otherwise.
            OSError: If it cannot be painted or written.
        """
        from gradviz.host.picture import PictureError, write_png

        if Path(path).suffix.lower() != ".png":
            raise ValueError(f"{path} must end in .png")
        try:
            write_png(self._svg(theme, pair), Path(path))
        except PictureError as error:
            raise OSError(str(error)) from None

    def __bool__(self) -> bool:
        """Whether everything passed."""
        return self.passed

    def __str__(self) -> str:
        """What ``gradviz check`` prints."""
        return "\n".join(check_text(self._trace, self._report, self._values))

    def __repr__(self) -> str:
        """Title, outcome and diagnosis in one line."""
        state = "passed" if self.passed else "failed"
        if self.verdict in ("error", "incomplete"):
            state = "not known"
        words = f"{self._report.subject} {state} [{self.diagnosis}]: {verdict_words(self._report)}"
        return f"<CheckResult {words}>"

    def _repr_html_(self) -> str:
        """Verdict, diagnosis, heatmaps and details, for a notebook."""
        return check_html(self._trace, self._report, self._values)

    def _block(self, block: JacobianBlock | str | int) -> JacobianBlock:
        if isinstance(block, JacobianBlock):
            return block
        if isinstance(block, int):
            if not -len(self.blocks) <= block < len(self.blocks):
                raise ValueError(f"there is no pair {block}; there are {len(self.blocks)}")
            return self.blocks[block]
        names = [f"{each.output_name}/{each.input_name}" for each in self.blocks]
        for each, name in zip(self.blocks, names, strict=True):
            if block in (name, each.input_name):
                return each
        raise ValueError(f"there is no pair {block!r}; there are {', '.join(names) or 'none'}")

    def _svg(self, theme: Theme, pair: str) -> str:
        if pair:
            self._block(pair)
        return check_svg(self._report, self._values, theme_paint(theme), pair=pair)
