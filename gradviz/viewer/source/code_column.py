"""One column of the source pane: a header line with the source text below it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSplitter, QToolButton, QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.model.source import Location, user_line
from gradviz.viewer.source.code_view import CodeView
from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, set_style_sheet, sheet_color
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip, show_text
from gradviz.viewer.widgets.segment_switch import segment_style

LEAST_WIDTH = 180


class CodeColumn(QWidget):
    """A passage of source below its title.

    Attributes:
        view: The passage.
        other: Shows the Function's other half.
        edit: Opens the source in an editor.
        edit_here: Edits the source in the pane itself.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._editable: tuple[str, bool] | None = None
        self.title = ElidedLabel(pixels=SMALL_PIXELS, bold=True)
        self.note = ElidedLabel(pixels=SMALL_PIXELS, muted=True)
        self.view = CodeView(theme)
        self.extent = ElidedLabel(pixels=SMALL_PIXELS, muted=True)
        self.extent.hide()
        self.view.extent_changed.connect(self._on_view_extent_changed)
        self.other = QToolButton()
        self.other.setToolTip(self.tr("Show the other half of this Function"))
        self.other.hide()
        self.edit = QToolButton()
        self.edit.setAutoRaise(True)
        self.edit.setAccessibleName(self.tr("Open in editor"))
        self.edit_here = QToolButton()
        self.edit_here.setText(self.tr("Edit"))
        self.edit_here.hide()
        FocusRing(self.view)
        # The title gets the width it needs; the note gets the rest.
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._head = lay_out(
            QHBoxLayout(), self.title, (self.note, 1), self.other, self.edit_here, self.edit, gap=8
        )
        lay_out(QVBoxLayout(self), self._head, (self.view, 1), self.extent, gap=0)
        self.setMinimumWidth(LEAST_WIDTH)
        self._theme = theme
        set_theme_icon(self.edit, theme, "edit")
        self.update_theme()

    def set_editable(self, file: str, *, here: bool = False) -> None:
        """Enable the editor button for a file; if the name is empty, say that it is missing.

        Args:
            file: Name of the file.
            here: Whether the file can be edited in the pane, too.
        """
        if (file, here) == self._editable:
            return
        self._editable = file, here
        self.edit.setEnabled(bool(file))
        gone = self.tr("This source file is not on this machine.")
        text = self.tr("Open {name} in your editor").format(name=file)
        self.edit.setToolTip(plain_tooltip(text if file else gone))
        self.edit_here.setVisible(here)
        self.edit_here.setToolTip(plain_tooltip(self.tr("Edit {name} here").format(name=file)))

    def show_rows(self, rows: LineMarks, title: str, note: str, *, active: bool) -> None:
        """Show a passage with its title and note.

        Args:
            rows: The passage with the marks of its lines.
            title: The function or file whose source is shown.
            note: The file and line, and how they relate to the current step.
            active: Whether the passage contains the current step.
        """
        self.title.setText(title)
        self.note.setText(note)
        self.view.show_rows(rows, active=active)
        self.view.setAccessibleName(title)
        values = rows.mark(rows.text.statement_at(rows.block[0])[0]).note if active else ""
        self.view.setAccessibleDescription(f"{note}; {values}" if values else note)

    def offer(self, other: str) -> None:
        """Show a button for the other half with this label, or hide it if the label is empty."""
        show_text(self.other, other)

    def _on_view_extent_changed(self) -> None:
        shown, count = self.view.extent, self.view.line_count()
        is_part, is_too_long = len(shown) < count, self.view.is_too_long
        text = ""
        if is_part:
            text = self.tr("Lines {0} to {1} of {2}. Scroll to the end for more.")
        if is_too_long:
            text = self.tr("This source is too long for syntax highlighting.")
        if is_part and is_too_long:
            text = self.tr(
                "Lines {0} to {1} of {2}, too many for syntax highlighting."
                " Scroll to the end for more."
            )
        lines = map(format_count, (shown.start, shown.stop - 1, count))
        show_text(self.extent, text.format(*lines))

    def update_theme(self) -> None:
        """Repaint with another theme."""
        for button in (self.other, self.edit_here):
            set_theme_font(button, self._theme, SMALL_PIXELS)
            set_style_sheet(button, segment_style(self._theme, side=6))
        self._head.setContentsMargins(self._theme.px(8), 0, self._theme.px(4), 0)
        self.extent.setContentsMargins(self._theme.px(8), 0, self._theme.px(8), 0)


def head_of(location: Location | None, about: str) -> tuple[str, str]:
    """Return the title and the note for a line: its function or file, then its position.

    Args:
        location: The line.
        about: A short sentence about the line.
    """
    if location is None or user_line(location) is None:
        return about, ""
    file = PurePath(location.path).name or location.path
    return location.function or file, " · ".join(filter(None, (f"{file}:{location.line}", about)))


class WidthSplitter(QSplitter):
    """Sets the widths of its parts until the user moves a handle.

    Args:
        halves: The source columns.
    """

    def __init__(self, halves: Sequence[QWidget]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._halves = tuple(halves)
        self._moved = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        for half in halves:
            self.addWidget(half)
        self.setStyleSheet(f"QSplitter::handle {{ background: {sheet_color('border')}; }}")
        self.splitterMoved.connect(self._on_handle_moved)

    def share(self) -> None:
        """Distribute the width among the visible columns, unless the user has moved a handle."""
        if not self._moved:
            self.setSizes([int(not half.isHidden()) * self.width() for half in self._halves])

    def _on_handle_moved(self, position: int, handle: int) -> None:
        self._moved = True
