"""`translate` for texts outside of QObject methods, and the language of the window.

`pyside6-lupdate` recognizes the names: the context and the text must be literals at each call.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from gradviz.catalogue.language import choose_language, load_language
from gradviz.resource import resource_path

translate: Final = QCoreApplication.translate

SYSTEM = "system"
"""Stands for the system's language."""
_MOST_FOR_QT = 2**31


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark a text of a table for `pyside6-lupdate`; `translate` translates it where it is shown.

    Qt's own function of this name returns `object`.
    """
    return text


class _Plural:
    """Texts with a number; a class since `pyside6-lupdate` finds plural forms only at `.tr`."""

    @staticmethod
    def tr(text: str, comment: str, count: int) -> str:
        """Translate a text in the plural form of a number.

        Args:
            text: The text, with ``%Ln`` for the number. A number that may exceed Qt's int, as that
                of elements, stands as ``{count}`` in it.
            comment: Empty, or what distinguishes equal texts; a literal, too.
            count: The number.
        """
        # The forms of all languages depend on the last digits, and on whether it is small.
        form = count if count < _MOST_FOR_QT else 10**9 + count % 10**9
        return translate("plural", text, comment, form)


plural: Final = _Plural()


def install_language(app: QCoreApplication, language: str = SYSTEM) -> None:
    """Translate the window and the sentences, and write numbers as the language does.

    Call it again to change the language of what is created from then on. A text without a
    translation stays English.

    Args:
        app: The application.
        language: A code such as ``de``, or ``system`` for the first available one of the system's.
    """
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.setParent(None)
    system = language == SYSTEM
    name = choose_language(QLocale.system().uiLanguages()) if system else language
    QLocale.setDefault(QLocale("en_US" if name == "en" else name))
    folder = resource_path("translations")
    # Qt asks the last one first. English has the plural forms of texts that lack a translation.
    qt_texts = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    # Qt's file for Chinese has the territory in its name.
    _install(app, QLocale(name), "qtbase", qt_texts)
    for each in dict.fromkeys(("en", name)):
        _install(app, QLocale(each), "gradviz", str(folder))
    load_language(name)


def _install(app: QCoreApplication, locale: QLocale, stem: str, folder: str) -> None:
    translator = QTranslator(app)
    if translator.load(locale, stem, "_", folder):
        app.installTranslator(translator)
    else:
        translator.setParent(None)
