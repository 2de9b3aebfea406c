"""The cards beside the maps: the verdict of a check, its diagnoses, and the chosen element."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gradviz.catalogue.diagnoses import severity_of
from gradviz.document.tag import Tag
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.cells.pair_matrices import PairMatrices
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckVerdict, JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.element_source import ElementSource
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import UI_PIXELS, Theme, set_style_sheet
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip, show_text

Look = tuple[PaletteRole, PaletteRole, str]
"""Color of the icon, background and icon."""

_VERDICTS: dict[CheckVerdict, Look] = {
    "match": ("ok", "ok_fill", "check"),
    "mismatch": ("error", "error_fill", "error"),
    "inconclusive": ("warning", "warning_fill", "warning"),
    "error": ("error", "error_fill", "error"),
    "incomplete": ("warning", "warning_fill", "warning"),
}

_BAR = 3
"""Width of the bar in front of a card."""

_MOST_VALUES = 5
"""Most numbers of an element."""


class Sign(QLabel):
    """An icon beside a text, in the color of a role.

    Args:
        theme: Colors and sizes.
        pixels: Width and height at scale 1.
    """

    def __init__(self, theme: Theme, pixels: int) -> None:
        super().__init__()
        self._theme, self._pixels = theme, pixels
        self._shown: tuple[str, PaletteRole] | None = None

    def show_icon(self, name: str, role: PaletteRole) -> None:
        """Show another icon."""
        self._shown = name, role
        self.update_theme()

    def update_theme(self) -> None:
        """Paint the icon in another theme."""
        if self._shown is not None:
            side = self._theme.px(self._pixels)
            self.setPixmap(icon(self._shown[0], self._theme, self._shown[1]).pixmap(side, side))


class _Card(QWidget):
    """A sign and lines of text on a tinted ground."""

    _has_bar = False

    def __init__(self, theme: Theme, pixels: int) -> None:
        super().__init__()
        self._theme = theme
        self._sign = Sign(theme, pixels)
        self._ink: PaletteRole = "text"
        self._ground: PaletteRole = "panel"

    def _show_look(self, look: Look) -> None:
        self._ink, self._ground, name = look
        self._sign.show_icon(name, self._ink)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a rounded background in a soft color, and a bar in the color of the sign."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # A line is centered on its path; half a pixel further inside, it is sharp and not cut off.
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        ground = self._theme.color(self._ground)
        painter.setPen(QPen(self._theme.color("border") if self._has_bar else ground, 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 5, 5)
        if self._has_bar:
            bar = QRectF(1, 5, _BAR * self._theme.scale, self.height() - 10)
            painter.fillRect(bar, self._theme.color(self._ink))
        painter.end()


class VerdictView(_Card):
    """Banner that sums up one report.

    Attributes:
        about: Rule and conditions of the check, which stand where there is space for small print.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, 20)
        self._headline = PlainLabel(pixels=18, bold=True)
        self._doubt = PlainLabel(pixels=UI_PIXELS)
        self._problems, self._note = PlainLabel(), PlainLabel()
        self.about = PlainLabel(muted=True)
        self._labels = (self._headline, self._doubt, self._problems, self._note, self.about)
        lay_out(
            QHBoxLayout(self),
            (self._sign, 0, Qt.AlignmentFlag.AlignTop),
            (lay_out(QVBoxLayout(), *self._labels[:-1], gap=2), 1),
            margins=(10, 8, 10, 8),
            gap=10,
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """All lines, from the top."""
        return tuple(label.text() for label in self._labels if label.text())

    def show_report(self, report: JacobianReport, first: JacobianReport | None = None) -> None:
        """Show another report.

        Args:
            report: The report.
            first: The latest first-order report, which a second-order one refers to.
        """
        about = self.tr("{rule} · {circumstances}").format(
            rule=check_text.rule(report), circumstances=check_text.check_conditions_text(report)
        )
        doubted = check_text.is_doubted(report)
        texts = (
            check_text.headline(report),
            check_text.doubt_text(report) if doubted else "",
            "\n".join(f"• {problem.message}" for problem in report.problems),
            check_text.second_order_caveat(report, first),
            about,
        )
        for label, text in zip(self._labels, texts, strict=True):
            show_text(label, text)
        self.setAccessibleName(self._headline.text())
        self._show_look(_VERDICTS[_shown_verdict(report)])


def _shown_verdict(report: JacobianReport) -> CheckVerdict:
    """Verdict whose colors a report gets; it can differ from gradcheck's own."""
    if check_text.is_wrong_despite_passing(report):
        return "mismatch"
    if check_text.is_insensitive(report) or check_text.is_doubted(report):
        return "incomplete"
    return report.verdict


class DiagnosisCard(_Card):
    """One diagnosis: what is wrong, confidence, evidence, and repair.

    Args:
        diagnosis: The diagnosis.
        wrong: Number of wrong elements of its pair; 0 if it is about the whole function.
        theme: Colors and fonts.
        about: Which pair it is about; empty if that is clear.
    """

    _has_bar = True

    def __init__(self, diagnosis: Diagnosis, wrong: int, theme: Theme, about: str = "") -> None:
        super().__init__(theme, 18)
        self.diagnosis = diagnosis
        repair = diagnosis.repair
        sure, head = check_text.confidence_text(diagnosis), QHBoxLayout()
        title = PlainLabel(check_text.title_of(diagnosis.code), pixels=UI_PIXELS + 1, bold=True)
        lay_out(head, (self._sign, 0, Qt.AlignmentFlag.AlignTop), (title, 1), gap=6)
        if sure:
            pill = Pill(Tag(sure, tip=check_text.confidence_tip(diagnosis)), theme)
            head.addWidget(pill, 0, Qt.AlignmentFlag.AlignTop)
        tried = result = ""
        if repair is not None:
            # It was tried on the numbers; as long as some are wrong, it is no advice.
            tried = self.tr("Tried: {message}") if repair.wrong else self.tr("Try this: {message}")
            tried = tried.format(message=repair.message)
            if wrong:
                result = self.tr("{before} wrong → {after} wrong")
                result = result.format(before=wrong, after=repair.wrong)
        evidence = "\n".join(f"• {each}" for each in diagnosis.evidence)
        lines = (about, diagnosis.message, tried, result, evidence)
        self.texts = (title.text(), *filter(None, (sure, *lines)))
        """All visible lines, from the top."""
        self._result = PlainLabel(result, pixels=UI_PIXELS + 1, bold=True)
        self.repair_button = QPushButton(self.tr("Show Repaired Matrix"))
        self.repair_button.setToolTip(
            plain_tooltip(
                self.tr("Show the analytical Jacobian after this repair next to the other maps")
            )
        )
        labels = (
            PlainLabel(about, muted=True),
            PlainLabel(diagnosis.message, pixels=UI_PIXELS),
            PlainLabel(tried, pixels=UI_PIXELS),
            lay_out(QHBoxLayout(), (self._result, 1), self.repair_button),
            PlainLabel(evidence),
        )
        lay_out(QVBoxLayout(self), head, *labels, margins=(10 + _BAR, 8, 10, 8), gap=5)
        # After the layout: a widget that is made visible without a parent opens as a window.
        for label in self.findChildren(PlainLabel):
            label.setVisible(bool(label.text()))
        self.repair_button.setVisible(repair is not None and repair.matrix > 0)
        self.setAccessibleName(self.tr("Diagnosis: {title}").format(title=title.text()))
        self.setAccessibleDescription("\n".join(self.texts[1:]))
        set_theme_font(self.repair_button, theme)
        set_theme_icon(self.repair_button, theme, "jump")
        self._show_look(check_text.SIGNS[severity_of(diagnosis.code)])
        self.update_theme()

    def update_theme(self) -> None:
        """Repaint in another theme."""
        repair = self.diagnosis.repair
        role: PaletteRole = "ok" if repair is None or not repair.wrong else "error"
        set_style_sheet(self._result, f"color: {self._theme.color(role).name()}")


class ElementCard(QWidget):
    """Explains the element under the cursor: both values, and how they were computed.

    Attributes:
        sources: Which elements the numerical and the analytical Jacobian consist of, if known.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.sources: tuple[ElementSource | None, ...] = (None, None)
        self._name = PlainLabel(pixels=UI_PIXELS, bold=True)
        self._sign = Sign(theme, 16)
        self._judgement = PlainLabel(pixels=UI_PIXELS)
        # A fixed number of labels, since the element changes with each move of the mouse.
        self._values = [
            (PlainLabel(muted=True), PlainLabel(pixels=UI_PIXELS)) for _ in range(_MOST_VALUES)
        ]
        uses = PlainLabel(pixels=UI_PIXELS, bold=True)
        uses.setToolTip(
            self.tr(
                "All nonzero numbers of this Jacobian are elements of this tensor, in one order"
            )
        )
        self._sentences = (uses, PlainLabel(), PlainLabel(), PlainLabel(muted=True))
        self._pinned = PlainLabel(muted=True)
        values = FlowLayout(gap=14)
        for pair in self._values:
            for label in pair:
                # On one line, since a cut number would read as another one.
                label.setWordWrap(False)
                label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            values.addItem(lay_out(QHBoxLayout(), *pair, margins=None, gap=6))
        head = lay_out(
            QHBoxLayout(), (self._sign, 0, Qt.AlignmentFlag.AlignTop), (self._judgement, 1), gap=6
        )
        parts = (self._name, head, values, *self._sentences, self._pinned)
        lay_out(QVBoxLayout(self), *parts, gap=4)
        self.setAccessibleName(self.tr("Element"))

    @property
    def texts(self) -> tuple[str, ...]:
        """All visible lines, from the top."""
        values = [f"{name.text()} {value.text()}" for name, value in self._values if value.text()]
        sentences = [each.text() for each in self._sentences if each.text()]
        return (self._name.text(), self._judgement.text(), *values, *sentences)

    def show_element(
        self,
        report: JacobianReport,
        matrices: PairMatrices,
        cell: tuple[int, int] | None,
        *,
        pinned: bool,
    ) -> None:
        """Explain another element.

        Args:
            report: The report.
            matrices: The matrices of its pair.
            cell: Row and column of the element; None if the matrix is empty.
            pinned: Whether the element stays while the mouse moves.
        """
        name, judgement = self.tr("Nothing to compare: the matrix is empty."), ""
        values: list[tuple[str, str]] = []
        sentences: tuple[str, ...] = ("",) * len(self._sentences)
        if cell is not None:
            name = check_text.element_name(matrices, *cell)
            judgement = check_text.element_judgement(matrices, *cell)
            values = element_text.values_of(matrices, *cell)
            values.append((self.tr("allowed"), element_text.allowed(matrices, *cell)))
            sentences = (
                self._uses(cell),
                element_text.moved(report, matrices, *cell),
                element_text.backward_text(report, matrices, *cell),
                element_text.row_and_column(matrices, *cell),
            )
            is_outside = matrices.excess(*cell) > 1
            self._sign.show_icon(*(("error", "error") if is_outside else ("check", "ok")))
        self._name.setText(name)
        self._judgement.setText(judgement)
        self._sign.setVisible(bool(judgement))
        values += [("", "")] * (_MOST_VALUES - len(values))
        for labels, texts in zip(self._values, values, strict=True):
            for label, text in zip(labels, texts, strict=True):
                label.setText(text)
                label.setVisible(bool(texts[1]))
        for label, text in zip(self._sentences, sentences, strict=True):
            show_text(label, text)
        stays = self.tr("Pinned. Click it again or press Escape to unpin it.")
        self._pinned.setText(
            stays if pinned else self.tr("Click an element or press Enter to pin it.")
        )
        self.setAccessibleDescription("\n".join(self.texts))

    def _uses(self, cell: tuple[int, int]) -> str:
        """Name what forward and backward multiply by, if their Jacobians show it."""
        forward, backward = ("" if each is None else each.at(*cell) for each in self.sources)
        text = self.tr("forward uses {forward}, backward uses {backward}")
        if forward == backward:
            text = self.tr("forward and backward use {forward}") if forward else ""
        elif not backward:
            text = self.tr("forward uses {forward}")
        elif not forward:
            text = self.tr("backward uses {backward}")
        return text.format(forward=forward, backward=backward)
