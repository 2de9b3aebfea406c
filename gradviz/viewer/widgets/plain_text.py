"""Labels, text blocks and tooltips that show untrusted text literally, never as HTML."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from html import escape
from math import ceil

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QPalette,
    QRawFont,
    QResizeEvent,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from gradviz.catalogue.visible_text import visible_text
from gradviz.store.text_limit import MOST_CHARACTERS, cut_visible_text
from gradviz.viewer.theme.theme import SMALL_PIXELS
from gradviz.viewer.theme.theme_update import theme_of

_LONG_WORD = re.compile(r"\S{25,}")
_BREAKABLE = re.compile(r"[^_./]{1,12}[_./]?|[_./]")

_NEAR_EDGE = 4
"""Pixels within which only Qt decides whether a text still fits."""

_heights: dict[tuple[object, ...], int] = {}
"""Heights of wrapped texts: the steps of a run show the same texts again and again."""

_MOST_HEIGHTS = 1000
"""Maximum number of texts, which can be long, that are kept for their heights."""

_line_heights: dict[str, int] = {}
"""Height of a label with one line, by the key of its font."""

_characters: dict[str, dict[str, bool]] = defaultdict(dict)
"""Whether a font has a character, by its family."""

MOST_TOOLTIP = 2000
"""Maximum number of characters in a tooltip; a longer one would cover the window."""


def plain_tooltip(text: str) -> str:
    """Escape text for a tooltip, as Qt would otherwise guess whether it is HTML."""
    shown = visible_text(text[:MOST_TOOLTIP], lines=True)
    lines = escape(shown).replace("\n", "<br>")
    return f"<span>{lines}</span>" if text else ""


def show_text(field: QLabel | QAbstractButton | QLineEdit, text: str) -> None:
    """Show a text in a field, and hide the field while there is none."""
    field.setText(text)
    field.setVisible(bool(text))


class PlainLabel(QLabel):
    """A label with wrapped, selectable plain text.

    Args:
        text: Shown literally.
        pixels: Font size.
        bold: Whether the font is semi-bold.
        muted: Whether the text has the muted color.
        mono: Whether the font is monospaced.
        parent: The parent widget.
    """

    def __init__(
        self,
        text: str = "",
        *,
        pixels: int = SMALL_PIXELS,
        bold: bool = False,
        muted: bool = False,
        mono: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._text = ""
        self._type = (pixels, bold, mono)
        self._short: tuple[str, int] | None = None
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.update_theme()
        self.setWordWrap(True)
        # Qt would request the full width of a long word and so widen the panel.
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        if muted:
            self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setText(text)

    def update_theme(self) -> None:
        """Use the theme's font size; colors come from the palette."""
        pixels, bold, mono = self._type
        self.use_font(theme_of(self).font(pixels, bold=bold, mono=mono))
        short, self._short = self._short, None
        if short is not None:
            self.show_short(*short)

    def event(self, event: QEvent) -> bool:
        """Take the theme of its window, as soon as it is in one."""
        if event.type() == QEvent.Type.Polish:
            self.update_theme()
        return super().event(event)

    def use_font(self, font: QFont) -> None:
        """Use another font until the theme changes."""
        self._look = font
        self.setFont(font)

    def setText(self, text: str) -> None:
        """Replace the text, adding break opportunities to long words."""
        text = visible_text(text, lines=True)
        shown = _LONG_WORD.sub(_breakable, text) if self.wordWrap() else text
        if (text, shown) != (self._text, super().text()):
            self._text = text
            super().setText(shown)

    def text(self) -> str:
        """Return the text without the added break opportunities."""
        return self._text

    def heightForWidth(self, width: int) -> int:
        """Return the height of the text wrapped to a width, in pixels."""
        if not self.contentsMargins().isNull():
            return super().heightForWidth(width)
        key = (self._text, width, self.font().key(), self.wordWrap())
        return _known_height(key, lambda: self._height_of(width))

    def _height_of(self, width: int) -> int:
        # Measuring a line is several times faster than laying it out.
        if not self._fits_one_line(width):
            return super().heightForWidth(width)
        key = self.font().key()
        if key not in _line_heights:
            _line_heights[key] = super().heightForWidth(width)
        return _line_heights[key]

    def _fits_one_line(self, width: int) -> bool:
        """Return whether the text surely takes one line of the font's usual height."""
        text, font = self._text, self.font()
        if not text or "\n" in text:
            return False
        # Characters of other fonts may be higher.
        known = _characters[font.family()]
        if new := set(text) - known.keys():
            # The metrics of PySide deny that any character beyond ASCII is in a font.
            main_font = QRawFont.fromFont(font)
            known.update((each, main_font.supportsCharacter(ord(each))) for each in new)
        return (
            all(known[each] for each in text)
            and self.fontMetrics().horizontalAdvance(text) < width - _NEAR_EDGE
        )

    def minimumSizeHint(self) -> QSize:
        """Return one line's height; Qt would return the height for the narrowest column."""
        return QSize(20, self.fontMetrics().height())

    def show_short(self, text: str, most_pixels: int) -> None:
        """Show text on one line, elided in the middle, with the full text as tooltip."""
        if self._short == (text, most_pixels):
            return
        self._short = (text, most_pixels)
        self.setWordWrap(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        metrics = QFontMetrics(self.font())
        line = visible_text(" ".join(text.split()))
        shown = metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, most_pixels)
        self.setText(shown)
        self.setToolTip(plain_tooltip(text) if shown != text else "")

    def changeEvent(self, event: QEvent) -> None:
        """Restore the font, which Qt resets when the label gets a new parent."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.font() != self._look:
            self.setFont(self._look)


class PlainBlock(QPlainTextEdit):
    """Read-only text, as high as its lines and wrapped anywhere: messages, source, reprs."""

    def __init__(self, text: str = "", *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: str | None = None
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.update_theme()
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(6)
        self.viewport().setBackgroundRole(QPalette.ColorRole.AlternateBase)
        self.show_text(text)

    def show_text(self, text: str) -> None:
        """Replace the text; control characters are shown as escapes, a very long text is cut."""
        # Layout takes longer than linear time for a long line.
        shown = cut_visible_text(text, MOST_CHARACTERS)
        if len(shown) == MOST_CHARACTERS:
            # It may have been cut when it was recorded.
            shown = self.tr("Only the beginning of this text is shown:") + f"\n{shown}"
        # From step to step, most blocks stay the same.
        if shown != self._shown:
            self._shown = shown
            self.setPlainText(shown)
            self.setAccessibleName(shown[:MOST_TOOLTIP])
            self._fit_height()

    def update_theme(self) -> None:
        """Use the theme's font size; colors come from the palette."""
        self.setFont(theme_of(self).font(SMALL_PIXELS, mono=True))
        self._fit_height()

    def event(self, event: QEvent) -> bool:
        """Take the theme of its window, as soon as it is in one."""
        if event.type() == QEvent.Type.Polish:
            self.update_theme()
        return super().event(event)

    def hasHeightForWidth(self) -> bool:
        """Return True."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the text wrapped to a width, in pixels."""
        text = self.toPlainText()
        key = (text, width, self.font().key(), "block")
        return _known_height(key, lambda: self._height_of(text, width))

    def _height_of(self, text: str, width: int) -> int:
        document = QTextDocument(text)
        document.setDefaultFont(self.font())
        document.setDocumentMargin(self.document().documentMargin())
        option = QTextOption()
        option.setWrapMode(self.wordWrapMode())
        document.setDefaultTextOption(option)
        document.setTextWidth(width - 2 * self.frameWidth())
        return ceil(document.size().height()) + 2 * self.frameWidth()

    def _fit_height(self) -> None:
        height = 2 * self.document().documentMargin() + 2 * self.frameWidth()
        block = self.document().firstBlock()
        while block.isValid():
            height += self.blockBoundingRect(block).height()
            block = block.next()
        self.setFixedHeight(ceil(height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to the lines at the new width."""
        super().resizeEvent(event)
        self._fit_height()


def _known_height(key: tuple[object, ...], measure: Callable[[], int]) -> int:
    if key not in _heights:
        if len(_heights) >= _MOST_HEIGHTS:
            _heights.clear()
        _heights[key] = measure()
    return _heights[key]


def _breakable(word: re.Match[str]) -> str:
    return "\N{ZERO WIDTH SPACE}".join(_BREAKABLE.findall(word.group()))
