"""Says that something went wrong in gradviz itself, and gives the text to report it with."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout

from gradviz.viewer.look.theme import LIGHT, SMALL_PIXELS, UI_PIXELS
from gradviz.viewer.widgets.plain_text import PlainLabel


class ErrorDialog(QDialog):
    """The window behind it goes on.

    Args:
        text: The error, with where it came from.
        facts: What else belongs into a report.
    """

    def __init__(self, text: str, facts: str) -> None:
        super().__init__(QApplication.activeWindow())
        self.setWindowTitle(self.tr("An error in gradviz"))
        said = self.tr(
            "Something went wrong in gradviz itself; it was not your code. You can go on, but the "
            "view may be incomplete. Please report it with the text below."
        )
        self._errors, self._facts = [text], facts
        self.report = QPlainTextEdit()
        self.report.setReadOnly(True)
        font = LIGHT.font(SMALL_PIXELS, mono=True)
        # As large as other type; which theme there is may be what failed.
        font.setPixelSize(max(SMALL_PIXELS, QApplication.font().pixelSize() - 1))
        self.report.setFont(font)
        self.report.setAccessibleName(self.tr("Text of the report"))
        self._show()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setToolTip(self.tr("Copies the whole report"))
        self.copy.clicked.connect(self._on_copy_clicked)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(PlainLabel(said, pixels=UI_PIXELS))
        layout.addWidget(self.report, 1)
        layout.addWidget(buttons)
        self.resize(720, 440)

    def add(self, text: str) -> None:
        """Adds another error, that came while this was open."""
        self._errors.append(text)
        self._show()

    def _show(self) -> None:
        self.report.setPlainText("\n".join([*self._errors, self._facts]))

    @Slot()
    def _on_copy_clicked(self) -> None:
        QApplication.clipboard().setText(self.report.toPlainText())
        self.copy.setText(self.tr("Copied"))
