"""With longer texts at 1280x800, no panel shows text that is untranslated or cut.

So it is in every language that there is.
"""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import Struct
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QDockWidget,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gradviz.catalogue.language import available_languages, language_name, use_language
from gradviz.gallery.guide.pages import page_names, page_title
from gradviz.gallery.registry import offer_of, scene
from gradviz.model.trace import Trace
from gradviz.viewer.canvas.dispatch.view import DispatchView
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.key_sheet import KeySheet
from gradviz.viewer.commands.palette import Palette
from gradviz.viewer.guide.page_browser import PageBrowser
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.lesson.panel import LessonPanel
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.settings_dialog import SettingsDialog
from gradviz.viewer.translation import install_language
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window_controller import WindowController, make_application
from tests.dispatch_builder import dispatch_trace
from tests.gui.conftest import WindowDriver
from tests.gui.pseudo_language import PseudoTranslator, pseudo, pseudo_templates
from tests.story.shipped import texts
from tests.viewer.canvas.visible_texts import texts_of
from tests.viewer.traces import (
    MemoryReader,
    inside_reader,
    linear_reader,
    wrong_reader,
)

WORD = re.compile(r"[A-Za-z]{3,}")

NAMES = frozenset(
    (
        # Of torch.
        "torch gradcheck gradgradcheck eps atol rtol AccumulateGrad requires_grad True False None "
        "cpu kind shape dtype fill float bfloat complex int uint bool "
        "arange linspace zeros ones full eye randn rand randint values grad self expand "
        # Of keys, which the platform names.
        "Alt Ctrl Shift Tab Return Home End Left Right Up Down PgUp PgDown Space Del Backspace "
        "Esc Enter "
        # Of pyqtgraph's own menu.
        "Export"
    )
    .replace("_", " ")
    .split()
) | set(map(language_name, available_languages()))
"""Words that are the same in every language, or that are not gradviz's."""

EDITOR = ("code --goto", "{file}", "{line}")
"""What the setting for the editor expects as it is."""

MOST_ROWS = 60
SHOWN_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.ToolTipRole,
)


@pytest.fixture
def pseudo_driver(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[WindowDriver]:
    app = make_application([])
    translator = PseudoTranslator(tmp_path)
    app.installTranslator(translator)
    use_language("pseudo", pseudo_templates())
    with small_window(app, qtbot) as driver:
        yield driver
    app.removeTranslator(translator)


@pytest.fixture
def translated_driver(language: str, qapp: QApplication, qtbot: QtBot) -> Iterator[WindowDriver]:
    app = make_application([])
    install_language(app, language)
    with small_window(app, qtbot) as driver:
        yield driver


@contextmanager
def small_window(app: QApplication, qtbot: QtBot) -> Iterator[WindowDriver]:
    """A window in the current language, which is English again afterward."""
    Preferences().hint_seen = True
    place = WindowController(app, "light")
    place.window.resize(1280, 800)
    place.window.show()
    yield WindowDriver(place, qtbot)
    place.close()
    install_language(app, "en")


def strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence | frozenset) and not isinstance(value, bytes):
        for each in value:
            yield from strings_in(each)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from strings_in(getattr(value, field.name))
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from strings_in(getattr(value, name))


def texts_on(widget: QWidget) -> Iterator[str]:
    """The texts of a widget, shown and accessible."""
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QComboBox():
            yield from (widget.itemText(row) for row in range(widget.count()))
        case QTabBar():
            yield from (widget.tabText(at) for at in range(widget.count()))
        case QHeaderView():
            yield from titles_of(widget)
        case QLineEdit():
            yield widget.placeholderText()
        case QDockWidget():
            yield widget.windowTitle()
        case QAbstractItemView():
            yield from rows_of(widget.model())


def rows_of(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[str]:
    """The texts of the first rows of a model and their children."""
    above = parent or QModelIndex()
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(above)
    for row in range(min(model.rowCount(above), MOST_ROWS)):
        for column in range(columns):
            for role in SHOWN_ROLES:
                text = model.index(row, column, above).data(role)
                if isinstance(text, str):
                    yield text
        yield from rows_of(model, model.index(row, 0, above))


def is_outside(widget: QWidget) -> bool:
    """Guide pages and lessons, which are files, and buttons of Qt: on a dock's title, and Close."""
    parent = widget.parent()
    is_qts = isinstance(widget, QAbstractButton) and isinstance(parent, QDockWidget)
    if isinstance(widget, QPushButton) and isinstance(parent, QDialogButtonBox):
        is_qts = parent.standardButton(widget) == QDialogButtonBox.StandardButton.Close
    is_lesson = isinstance(widget, RowsView) and isinstance(parent, LessonPanel)
    return is_qts or is_lesson or isinstance(widget, PageBrowser)


def titles_of(header: QHeaderView) -> list[str]:
    titles = (header.model().headerData(at, header.orientation()) for at in range(header.count()))
    return [title if isinstance(title, str) else "" for title in titles]


def is_cut(widget: QWidget) -> bool:
    """Whether a widget is too small for its text and has no tooltip with it."""
    if widget.toolTip() or widget.visibleRegion().isEmpty():
        return False
    needed, given = widget.sizeHint().width(), widget.width() + 1
    match widget:
        case QLabel() if widget.wordWrap():
            return widget.heightForWidth(widget.width()) > widget.height() + 1
        case QToolButton():
            only_icon = widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
            return bool(widget.text()) and not only_icon and needed > given
        case QLabel() | QAbstractButton():
            return bool(widget.text()) and needed > given
        case QComboBox():
            return needed > given
        case QScrollArea():
            return widget.horizontalScrollBar().isVisible()
        case QTabBar():
            width = widget.fontMetrics().horizontalAdvance
            return any(
                width(widget.tabText(at).replace("&", "")) > widget.tabRect(at).width()
                and not widget.tabToolTip(at)
                for at in range(widget.count())
            )
        case QHeaderView() if widget.orientation() == Qt.Orientation.Horizontal:
            return any(
                widget.sectionSizeFromContents(at).width() > widget.sectionSize(at) + 1
                and not widget.isSectionHidden(at)
                and title
                and not widget.model().headerData(
                    at, widget.orientation(), Qt.ItemDataRole.ToolTipRole
                )
                for at, title in enumerate(titles_of(widget))
            )
    return False


class Sweep:
    """Opens all panels and collects what is wrong with them."""

    def __init__(self, driver: WindowDriver) -> None:
        self._driver, self.seen = driver, 0
        self._form = driver.window.parts[InputsForm]
        self.english: dict[str, str] = {}
        self.cut: dict[str, str] = {}
        # Titles of pages belong to the guide, which has its own files.
        titles = [page_title(name) for name in page_names()]
        self._titles = sorted(titles, key=len, reverse=True)

    def run(self, trace: Trace) -> None:
        offer = offer_of(scene("functional-linear"))
        self._form.show_offer(offer)
        for row in self._form.rows:
            row.open()
        outside = {*NAMES, *(word for text in strings_in(trace) for word in WORD.findall(text))}
        outside |= {word for text in strings_in(offer) for word in WORD.findall(text)}
        docks = self._driver.window.docks.all()
        for part in (*(dock.objectName() for dock in docks), *TABS):
            self._driver.window.show_part(part)
            self._driver.wait()
            QApplication.processEvents()
            self._look(part, outside)

        self.look_at_graph(outside)
        self._outside = outside

    def open_dialogs(self) -> None:
        """Open the dialogs: settings, keys and the command palette."""
        commands = self._driver.window.commands
        for action, kind in (
            (commands.settings, SettingsDialog),
            (commands.show_keys, KeySheet),
            (commands.show_commands, Palette),
        ):
            action.trigger()
            QApplication.processEvents()
            opened = self._driver.window.findChildren(kind)[-1]
            assert opened.isVisible()
            self._look(kind.__name__, self._outside)
            opened.close()

    def look_at_dispatch(self) -> None:
        """Show a call that types override, which is painted as cards."""
        trace = dispatch_trace()
        self._driver.state.show(MemoryReader(trace, ()))
        self._driver.window.show_part(TABS[0])
        self._driver.wait()
        outside = {*NAMES, *(word for text in strings_in(trace) for word in WORD.findall(text))}
        view = self._driver.window.findChildren(DispatchView)[0]
        for number in range(1, self._driver.state.count + 1):
            self._driver.state.go_to(number)
            cards = view.cards
            if cards is None:
                continue
            for card in (cards.call, *cards.types, cards.result):
                for text in (card.title, *(line.text for line in card.lines)):
                    self._note("card", text, outside)
            self._note("arrow", cards.asks, outside)
            self._note("arrow", cards.gives, outside)
            frame = view.picture.frame
            assert frame is not None
            drawn = {word for text, _, _ in texts(frame) for word in text.split()}
            if not drawn.issuperset(f"{cards.call.title} {cards.asks} {cards.gives}".split()):
                self.cut[f"step {number}"] = "dispatch"

    def look_at_graph(self, outside: Collection[str]) -> None:
        scene = self._driver.window.parts[GraphPanel].scene
        assert scene is not None
        for number in range(1, self._driver.state.count + 1):
            self._driver.state.go_to(number)
            for painted in texts_of(scene):
                self._note("graph", painted.text, outside)
                if not painted.fits:
                    self.cut[painted.text] = f"graph, step {number}"

    def _look(self, part: str, outside: set[str]) -> None:
        window = self._driver.window
        for widget in window.findChildren(QWidget):
            if not widget.isVisible() or is_outside(widget):
                continue
            for text in filter(None, texts_on(widget)):
                self._note(f"{part}, {type(widget).__name__}", text, outside)
            if is_cut(widget):
                shown = next(filter(None, reversed([*texts_on(widget)])), "")
                self.cut[shown] = f"{part}, {type(widget).__name__}"
        for command in window.findChildren(QAction):
            self._note("menu", command.text(), outside)

    def _note(self, where: str, text: str, outside: Collection[str]) -> None:
        self.seen += 1
        # A tip is HTML with the text escaped.
        left = html.unescape(re.sub(r"</?\w+>", " ", text))
        for title in self._titles:
            left = left.replace(title, "") if " " in title or title == left.strip() else left
        for kept in EDITOR:
            left = left.replace(kept, "")
        for word in WORD.findall(left):
            if word not in outside:
                self.english[word] = f"{where}: {text}"


@pytest.mark.parametrize(
    ("make", "look_further"),
    [(wrong_reader, Sweep.open_dialogs), (inside_reader, Sweep.look_at_dispatch)],
)
def test_every_panel_is_translated_and_nothing_is_cut(
    pseudo_driver: WindowDriver,
    make: Callable[[], MemoryReader],
    look_further: Callable[[Sweep], None],
) -> None:
    sweep = sweep_over(pseudo_driver, make())
    look_further(sweep)
    assert sweep.seen > 1000
    assert sweep.english == {}
    assert sweep.cut == {}


@pytest.mark.parametrize("language", available_languages()[1:])
def test_nothing_is_cut_in_any_language(translated_driver: WindowDriver) -> None:
    sweep = sweep_over(translated_driver, wrong_reader())
    sweep.open_dialogs()
    sweep.look_at_dispatch()
    assert sweep.cut == {}


def sweep_over(driver: WindowDriver, reader: MemoryReader) -> Sweep:
    driver.state.show(reader)
    driver.state.go_to(5)
    driver.wait()
    sweep = Sweep(driver)
    sweep.run(reader.trace())
    return sweep


def test_english_is_found(driver: WindowDriver) -> None:
    driver.state.show(linear_reader())
    driver.wait()
    sweep = Sweep(driver)
    sweep.run(linear_reader().trace())
    assert {"Run", "Graph", "Library"} <= sweep.english.keys()
    # All words on the cards of this scene are also words of its description.
    sweep.look_at_graph(NAMES)
    assert sweep.english["custom"] == "graph: custom Function"
    sweep.open_dialogs()
    sweep.look_at_dispatch()
    found = " ".join(sweep.english.values())
    assert all(f"{part}," in found for part in ("SettingsDialog", "KeySheet", "Palette"))
    assert "arrow:" in found


def test_a_cut_text_is_found(qtbot: QtBot) -> None:
    button = QPushButton("Run Again")
    qtbot.addWidget(button)
    button.show()
    assert not is_cut(button)
    button.setFixedWidth(button.sizeHint().width() // 2)
    assert is_cut(button)
    button.setToolTip("Run Again")
    assert not is_cut(button)


@pytest.mark.quick
def test_the_language_is_longer_and_keeps_placeholders() -> None:
    assert pseudo("{0} of %Ln step(s)").startswith("{0} õƒ %Ln šţéþ(š) ù")
    assert len(pseudo("Step Over")) == 13
    assert not WORD.search(pseudo("Open\n{name}").replace("{name}", ""))
