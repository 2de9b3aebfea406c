"""The About dialog, with every version that helps to diagnose problems."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from gradviz.version import __version__
from gradviz.viewer.theme.theme import LIGHT, SMALL_PIXELS, TITLE_PIXELS, UI_PIXELS
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

_PACKAGES = ("PySide6-Essentials", "pyqtgraph", "numpy", "graphviz", "pygraphviz")


def versions_text(torch: str = "") -> str:
    """Return the versions as text, one per line.

    Args:
        torch: torch's version as reported by the child process, as the window does not import
            torch; may be empty.
    """
    lines = [f"gradviz {__version__}", f"Python {platform.python_version()}"]
    lines.append(f"torch {torch or _installed('torch')}")
    lines.append(f"Qt {qVersion()}")
    lines += [f"{name} {_installed(name)}" for name in _PACKAGES]
    return "\n".join([*lines, platform.platform()])


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return translate("About", "not installed")


class AboutDialog(QDialog):
    """Shows the versions as text that can be selected and copied."""

    def __init__(self, torch: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About gradviz"))
        # Otherwise every dialog that was opened would live as long as its parent, the window.
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = PlainLabel("gradviz", pixels=TITLE_PIXELS, bold=True)
        label = PlainLabel(
            self.tr(
                "Makes PyTorch's autograd visible, step by step. Runs entirely on this machine."
            ),
            pixels=UI_PIXELS,
        )
        self.versions = QPlainTextEdit(versions_text(torch))
        self.versions.setReadOnly(True)
        self.versions.setFont(LIGHT.font(SMALL_PIXELS, mono=True))
        self.versions.setAccessibleName(self.tr("Versions"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        lay_out(
            QVBoxLayout(self),
            title,
            label,
            (self.versions, 1),
            buttons,
            margins=(20, 16, 20, 16),
            gap=10,
        )
        self.resize(460, 380)
