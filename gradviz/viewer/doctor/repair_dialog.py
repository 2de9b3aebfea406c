"""The dialog that shows a change of a file and writes it on request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from gradviz.linter.repairs import repair_diff, repaired
from gradviz.model.finding import Finding
from gradviz.model.source import SourceFile, user_line
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel


def repair_of(finding: Finding, sources: Sequence[SourceFile]) -> tuple[SourceFile, str] | None:
    """The file of a finding as it ran, and its repaired text; None if there is no repair."""
    line = user_line(finding.location)
    source = next((each for each in sources if line and each.id == line.source), None)
    if line is None or source is None:
        return None
    changed = repaired(source.text, finding.code, line.line)
    return None if changed is None else (source, changed)


class RepairDialog(QDialog):
    """Shows a change as a diff; the file is written, and restored, only by its buttons.

    Args:
        path: The file.
        texts: Its text as it ran or was read, and the changed text.
        theme: Colors and fonts.
        parent: The window.
        title: Title of the dialog.
    """

    def __init__(
        self, path: Path, texts: tuple[str, str], theme: Theme, parent: QWidget, title: str
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._path = path
        self._before, self._after = texts
        self.diff = QPlainTextEdit()
        self.diff.setReadOnly(True)
        set_theme_font(self.diff, theme, SMALL_PIXELS, mono=True)
        self.diff.setAccessibleName(self.tr("Changes"))
        self.diff.setPlainText("\n".join(repair_diff(self._before, self._after, self._path.name)))
        self._colors = _DiffColors(theme, self.diff.document())
        self.message = PlainLabel(pixels=UI_PIXELS)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.apply = buttons.addButton(self.tr("&Apply to File"), role)
        self.undo = buttons.addButton(self.tr("&Undo"), role)
        self.apply.clicked.connect(self._on_apply_clicked)
        self.undo.clicked.connect(self._on_undo_clicked)
        buttons.rejected.connect(self.reject)
        lay_out(
            QVBoxLayout(self),
            self.message,
            (self.diff, 1),
            buttons,
            margins=(20, 16, 20, 16),
            gap=12,
        )
        self.resize(theme.px(640), theme.px(360))
        self._show(self.tr("{0} would change as follows.").format(self._path.name), applied=False)

    def _show(self, message: str, *, applied: bool) -> None:
        self.message.setText(message)
        self.apply.setEnabled(not applied)
        self.undo.setEnabled(applied)

    def _write(self, expected: str, text: str) -> str:
        """Replace the file's text if it is the expected one; returns what went wrong."""
        try:
            # Line endings are kept as they are in the file.
            with self._path.open(encoding="utf-8", newline="") as file:
                current = file.read()
            if current.replace("\r\n", "\n") != expected:
                return self.tr("The file has changed since the run. Run it again first.")
            if "\r\n" in current:
                text = text.replace("\n", "\r\n")
            with self._path.open("w", encoding="utf-8", newline="") as file:
                file.write(text)
        except (OSError, UnicodeDecodeError) as error:
            return self.tr("The file cannot be changed: {0}").format(error)
        return ""

    def _on_apply_clicked(self) -> None:
        problem = self._write(self._before, self._after)
        done = self.tr("{0} was changed.").format(self._path.name)
        self._show(problem or done, applied=not problem)

    def _on_undo_clicked(self) -> None:
        problem = self._write(self._after, self._before)
        done = self.tr("{0} is as before.").format(self._path.name)
        self._show(problem or done, applied=bool(problem))


class _DiffColors(QSyntaxHighlighter):
    """Colors the removed and added lines of a diff; their first characters say the same."""

    def __init__(self, theme: Theme, document: QTextDocument) -> None:
        super().__init__(document)
        self._colors: dict[str, QColor] = {
            "-": theme.color("error"),
            "+": theme.color("ok"),
            "@": theme.color("text_muted"),
        }

    def highlightBlock(self, text: str) -> None:
        """Color one line by its first character."""
        color = self._colors.get(text[:1])
        if color is not None:
            form = QTextCharFormat()
            form.setForeground(color)
            self.setFormat(0, len(text), form)
