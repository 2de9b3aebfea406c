"""Result of ``gradviz.check``, with a truth value, a text form and a notebook display."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gradviz.catalogue.messages import say, say_count
from gradviz.drawing.content.plain_text import label_text
from gradviz.export.check.json_document import check_document
from gradviz.export.check.npz import matrices_of, write_npz
from gradviz.export.check.text import check_text
from gradviz.export.check.verdict import outcome_sentence
from gradviz.export.errors import ExportError
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis, Trial
from gradviz.model.finding import Finding
from gradviz.model.jacobian_report import CheckProblem, CheckVerdict, JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.model.trace import Trace

if TYPE_CHECKING:
    from gradviz.drawing.appearance.palette import PaletteTheme

_MOST_CHARACTERS = 2000
"""Maximum length of a printed line."""


class CheckResult:
    """Findings of a check.

    ``bool(result)`` is `passed`, so that ``assert gradviz.check(fn, inputs)`` is a test;
    ``print(result)`` prints the text of ``gradviz check``. A notebook shows heatmaps.
    """

    def __init__(
        self, trace: Trace, report: JacobianReport, values: TensorValues, settings: CheckSettings
    ) -> None:
        self._trace = trace
        self._report = report
        self._values = values
        self._settings = settings

    @property
    def report(self) -> JacobianReport:
        """The whole report, without the matrices."""
        return self._report

    @property
    def settings(self) -> CheckSettings:
        """Settings of the check."""
        return self._settings

    @property
    def passed(self) -> bool:
        """Whether gradcheck passes and gradviz found no error that gradcheck misses."""
        return self._report.passed

    @property
    def verdict(self) -> CheckVerdict:
        """``match`` if gradcheck returns True, ``mismatch`` if False, ``error`` if it raises.

        ``inconclusive`` if it returns False only because of rounding in low precision.
        """
        return self._report.verdict

    @property
    def diagnosis(self) -> str:
        """Code of the first diagnosis, like ``transposed``; ``none`` if nothing is wrong."""
        return self.diagnoses[0].code if self.diagnoses else "unknown"

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """Explanations of what is wrong, the most certain and most specific first."""
        return self._report.diagnoses

    @property
    def problems(self) -> tuple[CheckProblem, ...]:
        """Problems other than differing elements, like an exception; and hints."""
        return self._report.problems

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Violations of the doctor's rules that one recorded call shows; none affects `passed`."""
        return self._trace.findings

    @property
    def blocks(self) -> tuple[JacobianBlock, ...]:
        """Comparison of each pair of an output and an input."""
        return self._report.blocks

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Results for other incoming gradients and other inputs."""
        return self._report.trials

    def matrix(
        self, block: JacobianBlock | str | int = 0, kind: str = "analytical"
    ) -> npt.NDArray[Any]:
        """Return a matrix of a pair, ``[input elements, output elements]``.

        Args:
            block: One of `blocks`, its position there, or a name: the input's, or
                ``OUTPUT/INPUT``.
            kind: ``numerical``, ``analytical``, ``difference`` (analytical minus numerical), or, if
                the check has it, ``forward``, ``reference``, ``spread`` or ``repaired``.

        Raises:
            ValueError: If there is no such pair or matrix; the message lists those available.
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
            raise ValueError(say("result.no_matrix", kind=kind, names=", ".join(numbers)))
        return np.array(value.array())

    def raise_for_mismatch(self) -> None:
        """Raise unless the check passed, with verdict, diagnosis and repair in the message.

        Raises:
            AssertionError: If `passed` is false.

        Example:
            >>> import torch, gradviz
            >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
            >>> gradviz.check(torch.sin, x).raise_for_mismatch()
            >>> gradviz.check(lambda x: x.detach() * x, x).raise_for_mismatch()
            Traceback (most recent call last):
            ...
            AssertionError: <lambda>: the analytical and the numerical Jacobians do not match...
        """
        __tracebackhide__ = True  # Read by pytest.
        if not self.passed:
            raise AssertionError(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the document of ``gradviz check --format json``; large matrices as a sample."""
        return check_document(self._trace, self._report, self._values, self._settings)

    def to_json(self) -> str:
        """Return the document of `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=True, allow_nan=False, indent=1)

    def save_npz(self, path: str | PathLike[str]) -> None:
        """Write all matrices to a file that ``numpy.load`` reads without pickle.

        Raises:
            OSError: If it cannot be written.
        """
        write_npz(Path(path), self._report, self._values)

    def save_svg(
        self, path: str | PathLike[str], *, theme: PaletteTheme = "light", pair: str = ""
    ) -> None:
        """Write the heatmaps as an SVG figure.

        Args:
            path: The file; an existing one is replaced.
            theme: ``light`` or ``dark``.
            pair: Draw only the pairs of this input, or of ``OUTPUT/INPUT``.

        Raises:
            ValueError: If there is no such pair.
            OSError: If it cannot be written.
        """
        from gradviz.export.graph.svg_text import with_outlined_text

        svg = with_outlined_text(self._svg(theme, pair))
        Path(path).write_text(svg, encoding="utf-8")

    def save_png(
        self, path: str | PathLike[str], *, theme: PaletteTheme = "light", pair: str = ""
    ) -> None:
        """Write the heatmaps as a PNG image, rendered with Qt in a child process.

        Args:
            path: The file, ending in ``.png``; an existing one is replaced.
            theme: ``light`` or ``dark``.
            pair: Draw only the pairs of this input, or of ``OUTPUT/INPUT``.

        Raises:
            ValueError: If there is no such pair, or the file name has another ending.
            OSError: If it cannot be rendered or written.
        """
        from gradviz.host.svg_rendering import PictureError, write_png

        if Path(path).suffix.lower() != ".png":
            raise ValueError(say("result.no_png", path=path))
        try:
            write_png(self._svg(theme, pair), Path(path))
        except PictureError as error:
            raise OSError(str(error)) from None

    def __bool__(self) -> bool:
        """Whether the check passed."""
        return self.passed

    def __str__(self) -> str:
        """Text of ``gradviz check``."""
        # A name must not forge a line, nor a terminal read a message as control sequences.
        lines = check_text(self._trace, self._report, self._values)
        return "\n".join(label_text(each, most=_MOST_CHARACTERS) for each in lines)

    def __repr__(self) -> str:
        """Title, outcome and diagnosis in one line."""
        subject, outcome = self._report.subject, outcome_sentence(self._report)
        line = f"<CheckResult {subject} [{self.diagnosis}] {outcome}>"
        return label_text(line, most=_MOST_CHARACTERS)

    def _repr_html_(self) -> str:
        """HTML for notebooks: verdict, diagnosis, heatmaps and details."""
        # Imported here, as in `_svg`, so that a check does not wait for what only pictures need.
        from gradviz.export.check.html import check_html

        return check_html(self._trace, self._report, self._values)

    def _block(self, block: JacobianBlock | str | int) -> JacobianBlock:
        if isinstance(block, JacobianBlock):
            return block
        if isinstance(block, int):
            if not -len(self.blocks) <= block < len(self.blocks):
                raise ValueError(say_count("result.no_pair_number", len(self.blocks), number=block))
            return self.blocks[block]
        from gradviz.export.check.svg import find_pairs

        try:
            return find_pairs(self._report, block)[0]
        except ExportError as error:
            raise ValueError(str(error)) from None

    def _svg(self, theme: PaletteTheme, pair: str) -> str:
        from gradviz.drawing.appearance.palette import theme_paint
        from gradviz.export.check.svg import check_svg

        if pair:
            self._block(pair)
        return check_svg(self._report, self._values, theme_paint(theme), pair=pair)
