"""The dialog that shows an error in gradviz itself, with a report to copy."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout

from gradviz.viewer.theme.theme import LIGHT, SMALL_PIXELS, UI_PIXELS
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel


class ErrorDialog(QDialog):
    """Shows an error report; the window behind it keeps working.

    Args:
        text: The error with its traceback.
        facts: Further information for the report.
    """

    def __init__(self, text: str, facts: str) -> None:
        super().__init__(QApplication.activeWindow())
        self.setWindowTitle(self.tr("Error in gradviz"))
        message = self.tr(
            "An error occurred in gradviz itself, not in your code. You can continue, "
            "but the view may be incomplete. Please report the error with the text below."
        )
        self._errors, self._facts = [text], facts
        self.report = QPlainTextEdit()
        self.report.setReadOnly(True)
        font = LIGHT.font(SMALL_PIXELS, mono=True)
        # Match the application's font size without the current theme, which may be what failed.
        font.setPixelSize(max(SMALL_PIXELS, QApplication.font().pixelSize() - 1))
        self.report.setFont(font)
        self.report.setAccessibleName(self.tr("Error report"))
        self._show()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setToolTip(self.tr("Copy the whole report"))
        self.copy.clicked.connect(self._on_copy_clicked)
        buttons.rejected.connect(self.reject)
        lay_out(
            QVBoxLayout(self),
            PlainLabel(message, pixels=UI_PIXELS),
            (self.report, 1),
            buttons,
            margins=(20, 16, 20, 16),
            gap=12,
        )
        self.resize(720, 440)

    def add(self, text: str) -> None:
        """Add an error that occurred while the dialog was open."""
        self._errors.append(text)
        self._show()

    def _show(self) -> None:
        self.report.setPlainText("\n".join([*self._errors, self._facts]))

    def _on_copy_clicked(self) -> None:
        QApplication.clipboard().setText(self.report.toPlainText())
        self.copy.setText(self.tr("Copied"))
