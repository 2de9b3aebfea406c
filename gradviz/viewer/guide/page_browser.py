"""Shows a guide page: the text at once, its formulas and graphs as soon as they are drawn."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from gradviz.gallery.guide.page import GuidePage
from gradviz.gallery.guide.traversal import formulas_on, graphs_on
from gradviz.viewer.background import Background
from gradviz.viewer.guide.formulas import FormulaStyle, PagePicture, pictures_of
from gradviz.viewer.guide.graphs import draw_graph, graph_key, is_graph
from gradviz.viewer.guide.page_document import (
    EM,
    PIXELS,
    PagePictures,
    WrittenPage,
    fit_pictures,
    write_page,
)
from gradviz.viewer.theme.theme import Theme

_LANE = "guide"
_REST_MS = 60


class PageBrowser(QTextBrowser):
    """One page of the guide; links work by mouse, or by Tab and Enter.

    Signals:
        link_pressed: Kind and target of a link, for example ``step`` and ``5/backward``.
        drawn: All formulas and graphs of the page have been drawn.
    """

    link_pressed = Signal(str, str)
    drawn = Signal()

    def __init__(self, theme: Theme, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._background = theme, background
        self.page: GuidePage | None = None
        self._written = WrittenPage()
        self._ink: FormulaStyle | None = None
        self._pictures: dict[tuple[str, bool], PagePicture] = {}
        self._step = 0
        self._resting = QTimer(self, singleShot=True, interval=_REST_MS)
        self._resting.timeout.connect(self._on_resting_timeout)
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.anchorClicked.connect(self._on_browser_anchor_clicked)

    def show_page(self, page: GuidePage) -> None:
        """Show a page from its top."""
        self.page = page
        self.setAccessibleName(page.title)
        # Graphs are large: those of other pages are drawn again when they are shown.
        is_same = self._ink_now() == self._ink
        self._pictures = {k: v for k, v in self._pictures.items() if is_same and not is_graph(k)}
        self._write()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)
        self._draw()

    def update_page(self, page: GuidePage) -> None:
        """Show another version of the page at the same scroll position."""
        self.page = page
        self._again()

    def show_step(self, number: int) -> None:
        """Highlight what the page says about a step, if anything."""
        self._step = number
        self._mark()

    def update_theme(self) -> None:
        """Apply another theme."""
        self._again()

    def _again(self) -> None:
        """Rewrite the page and keep the scroll position."""
        if self.page is None:
            return
        if self._ink_now() != self._ink:
            self._pictures = {}
        bar = self.verticalScrollBar()
        share = bar.value() / max(1, bar.maximum())
        self._write()
        bar.setValue(round(share * bar.maximum()))
        self._draw()

    def _write(self) -> None:
        assert self.page is not None
        # Otherwise the cursor would emit signals for each piece of text.
        with QSignalBlocker(self):
            self._written = write_page(self.document(), self.page, self._theme, self._pictures)
        self._fit()
        self._mark()

    def _ink_now(self) -> FormulaStyle:
        return FormulaStyle(
            em=self._theme.px(PIXELS) * EM,
            color=self._theme.color("text").name(),
            ratio=self.devicePixelRatioF(),
            axis=QFontMetrics(self._theme.font(PIXELS)).xHeight() / 4,
        )

    def _draw(self) -> None:
        """Draw what is missing in the background; all of the formulas may take a second."""
        assert self.page is not None
        page, theme, ink = self.page, replace(self._theme), self._ink_now()
        self._ink = ink
        missing = [
            (formula, display)
            for formula, display in formulas_on(page)
            if (formula.latex, display) not in self._pictures
        ]
        graphs = [each for each in graphs_on(page) if graph_key(page, each) not in self._pictures]

        def drawn(_: object) -> PagePictures:
            ratio = ink.ratio
            found = {graph_key(page, each): draw_graph(page, each, theme, ratio) for each in graphs}
            return {**pictures_of(missing, ink), **found}

        if missing or graphs:
            self._background.start(
                drawn,
                self._take_pictures,
                lane=_LANE,
                computes=True,
            )
        else:
            self.drawn.emit()

    def _take_pictures(self, pictures: PagePictures) -> None:
        self._pictures.update(pictures)
        self._again()

    def _fit(self) -> None:
        margins = 2 * self.document().documentMargin() + self._theme.px(10)
        fit_pictures(self.document(), self._written, max(1.0, self.viewport().width() - margins))

    def _mark(self) -> None:
        selections = []
        for block, number in self._written.steps:
            if number == self._step:
                mark = QTextEdit.ExtraSelection()
                mark.cursor = QTextCursor(self.document().findBlockByNumber(block))
                mark.format.setBackground(self._theme.color("accent_soft"))
                mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                selections.append(_whole(mark))
        self.setExtraSelections(selections)

    def _on_browser_anchor_clicked(self, url: QUrl) -> None:
        kind, _, target = url.toString().partition(":")
        self.link_pressed.emit(kind, target)

    def _on_resting_timeout(self) -> None:
        if self._ink is not None and self._ink_now() != self._ink:
            self._again()
        else:
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit wide formulas to the new width once resizing pauses."""
        super().resizeEvent(event)
        self._resting.start()


def _whole(mark: QTextEdit.ExtraSelection) -> QTextEdit.ExtraSelection:
    """Extend a highlight to the whole block, which may have several lines."""
    mark.cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    return mark
