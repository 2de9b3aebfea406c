"""One view of documents: keys, mouse, screen reader, copy, menu, selection and widths."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gradviz.document.document import Document, Field, Row, document_of
from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.rows.rows_model import RowsModel
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.theme.theme import APP_THEME, DARK, LIGHT
from tests.viewer.painted_texts import painted_texts
from tests.viewer.themes import change_theme

ROLE = Qt.ItemDataRole
KEYS = KeyScope(
    "Keys", (LocalKey("remove", ("Del",), "Remove"), LocalKey("switch", ("Space",), "Switch"))
)
WIDTHS = (ColumnWidth(80, grows=1), ColumnWidth(60), ColumnWidth(90, drop=1))


def row(key: Hashable) -> Row:
    fields = (Field(text=f"name {key}"), Field(text=str(key), is_number=True), Field(text="<b>"))
    return Row(fields=fields, is_now=key == 2, is_found=key == 3, is_on=key == 1)


def document(
    keys: Sequence[Hashable] = (1, 2, 3), below: Mapping[Hashable, Sequence[Hashable]] | None = None
) -> Document:
    titles = ("Name", "Number", "More")
    return Document(titles=titles, keys=keys, below=below or {}, row=row, has_boxes=True)


@pytest.fixture
def view(qtbot: QtBot) -> RowsView:
    view = RowsView(APP_THEME, WIDTHS, KEYS)
    qtbot.addWidget(view)
    view.resize(400, 200)
    view.show()
    view.show_document(document())
    return view


def keys_in(model: RowsModel, parent: QModelIndex) -> list[object]:
    places = [model.index(at, 0, parent) for at in range(model.rowCount(parent))]
    assert all(place.parent() == parent for place in places)
    return [(model.key_at(place), keys_in(model, place)) for place in places]


@pytest.mark.parametrize("widths", [(), (ColumnWidth(80, grows=1),)])
def test_rows_have_as_many_lines_as_their_width_needs(
    qtbot: QtBot, widths: Sequence[ColumnWidth]
) -> None:
    text = " ".join(["word"] * 12)
    rows = [Row(fields=(Field(text=each),)) for each in (text, "one")]
    shown = document_of(("Name",), rows)

    def shown_in(width: int) -> RowsView:
        view = RowsView(APP_THEME, widths, wraps=True)
        qtbot.addWidget(view)
        view.resize(width, 400)
        view.show()
        view.show_document(shown)
        return view

    def heights(view: RowsView) -> list[int]:
        QApplication.processEvents()
        return [view.visualRect(view.rows.index(at, 0)).height() for at in range(2)]

    resized, found = shown_in(600), set()
    for width in (120, 600, 250, 90, 400):
        resized.resize(width, 400)
        assert heights(resized) == heights(shown_in(width))
        found.add(heights(resized)[0])
    assert len(found) > 2


TREES = st.recursive(st.just({}), lambda inner: st.dictionaries(st.integers(), inner, max_size=4))


@settings(max_examples=60, deadline=None)
@given(tree=TREES, other=TREES)
def test_every_tree_of_rows_is_shown_as_it_is(qapp: QApplication, tree: dict, other: dict) -> None:
    owner = QWidget()
    model = RowsModel(LIGHT, owner)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning, model)
    for shown in (tree, other):
        below: dict[Hashable, Sequence[Hashable]] = {}
        expected = _expected(shown, (), below)
        model.show(document(below.pop((), ()), below))
        assert keys_in(model, QModelIndex()) == expected
        for key in model.document.all_keys():
            assert model.key_at(model.place_of(key)) == key
    owner.deleteLater()


def _expected(
    tree: dict, outer: tuple[int, ...], below: dict[Hashable, Sequence[Hashable]]
) -> list[object]:
    if tree:
        below[outer] = [(*outer, number) for number in tree]
    return [((*outer, n), _expected(inner, (*outer, n), below)) for n, inner in tree.items()]


def test_a_screen_reader_hears_the_whole_row_in_its_first_field(view: RowsView) -> None:
    place = view.rows.place_of(2)
    assert place.data(ROLE.AccessibleTextRole) == "name 2, 2, <b>"
    assert place.siblingAtColumn(1).data(ROLE.AccessibleTextRole) == "2"
    assert "&lt;b&gt;" in str(place.siblingAtColumn(2).data(ROLE.ToolTipRole))


def test_what_is_now_and_what_was_found_can_be_told_apart(view: RowsView) -> None:
    for theme in (LIGHT, DARK):
        change_theme(theme)
        grounds = [view.rows.place_of(key).data(ROLE.BackgroundRole) for key in (1, 2, 3)]
        assert grounds == [None, theme.color("current_line"), theme.color("search_hit")]


def test_enter_and_a_click_choose_and_arrows_do_not(view: RowsView) -> None:
    heard: list[tuple[Hashable, int]] = []
    current: list[Hashable] = []
    view.chosen.connect(lambda key, column: heard.append((key, column)))
    view.current_changed.connect(current.append)
    spot = view.visualRect(view.rows.place_of(2, 1)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert heard == [(2, 1)]
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert heard == [(2, 1), (3, 1)]
    assert current == [2, 3]


def test_where_a_click_selects_two_choose(qtbot: QtBot) -> None:
    view = RowsView(APP_THEME, WIDTHS, clicks=False)
    qtbot.addWidget(view)
    view.show_document(document())
    heard: list[Hashable] = []
    view.chosen.connect(lambda key, column: heard.append(key))
    spot = view.visualRect(view.rows.place_of(3)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert (heard, view.current_key) == ([], 3)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert heard == [3]


def test_a_panel_has_commands_of_its_own(view: RowsView, qtbot: QtBot) -> None:
    view.go_to(1)
    with qtbot.waitSignal(view.command_pressed) as pressed:
        QTest.keyClick(view, Qt.Key.Key_Delete)
    assert pressed.args == ["remove"]
    view.go_to(1, 1)
    with qtbot.waitSignal(view.rows.toggled) as toggled:
        QTest.keyClick(view, Qt.Key.Key_Space)
    assert toggled.args == [1, False]
    assert view.rows.row_at(view.currentIndex()).is_on, "its owner decides"


def test_the_current_row_stays_when_others_come_and_go(view: RowsView) -> None:
    view.go_to(2)
    for keys, expected in (((9, 2, 1), 2), ((2, 9), 2), ((9,), None)):
        view.show_document(document(keys))
        assert view.current_key == expected


def test_rows_are_made_again_but_only_those_in_sight(view: RowsView) -> None:
    made: list[Hashable] = []

    def remembered(key: Hashable) -> Row:
        made.append(key)
        return row(key)

    many = replace(document(range(1000)), row=remembered)
    for _ in range(2):
        made.clear()
        view.show_document(many)
        view.grab()
        assert 0 < len(made) < 20


# The offscreen platform has no keyboard that a menu could grab, and says so.
@pytest.mark.qt_log_ignore("grabbing the (keyboard|mouse)")
def test_copy_and_menu_are_the_same_everywhere(view: RowsView) -> None:
    view.go_to(3)
    QTest.keySequence(view, "Ctrl+C")
    assert QGuiApplication.clipboard().text() == "name 3\t3\t<b>"
    view.add_to_menu(_go_entry)
    menu = view.menu.open(view.visualRect(view.rows.place_of(1)).center())
    assert menu is not None
    entries = {action.text(): action for action in menu.actions() if action.text()}
    assert list(entries) == ["Go to 1", "&Copy Row", "Copy &Table"]
    entries["Copy &Table"].trigger()
    assert QGuiApplication.clipboard().text() == view.rows.document.table
    menu.close()


def _go_entry(menu: QMenu, key: Hashable) -> None:
    menu.addAction(f"Go to {key}")


def test_tab_leaves_the_view(view: RowsView) -> None:
    assert not view.tabKeyNavigation()


def test_columns_fill_the_view_and_the_least_important_goes_first(view: RowsView) -> None:
    for width, hidden in ((400, False), (220, True), (400, False)):
        view.resize(width, 200)
        QApplication.processEvents()
        assert view.isColumnHidden(2) == hidden
        shown = [view.columnWidth(at) for at in range(3) if not view.isColumnHidden(at)]
        assert abs(sum(shown) - view.viewport().width()) <= 3
        assert not view.horizontalScrollBar().maximum()


def test_a_column_has_room_for_its_title(view: RowsView) -> None:
    view.show_document(replace(document(), titles=("Name", "Schweregrad", "More")))
    title = view.header().fontMetrics().horizontalAdvance("Schweregrad")
    assert view.columnWidth(1) >= title + 12


def test_widths_that_the_user_drew_stay(view: RowsView) -> None:
    bar = view.header().viewport()
    edge = QPoint(view.columnWidth(0) - 1, bar.height() // 2)
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=edge)
    QTest.mouseMove(bar, edge + QPoint(20, 0))
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=edge + QPoint(20, 0))
    drawn = view.columnWidth(0)
    view.resize(600, 200)
    QApplication.processEvents()
    assert view.columnWidth(0) == drawn > edge.x() + 10


def test_a_long_text_of_a_list_is_whole(qtbot: QtBot) -> None:
    view = RowsView(LIGHT, wraps=True)
    qtbot.addWidget(view)
    view.resize(160, 300)
    view.show()
    long = Row(fields=(Field(text="word " * 20), Field(text="at the end")), note="below")
    view.show_document(document_of(("",), (Row(fields=(Field(text="short"),)), long)))
    QApplication.processEvents()
    short, wrapped = (view.visualRect(view.rows.place_of(key)).height() for key in (0, 1))
    assert wrapped > 4 * short >= 4 * LIGHT.px(26)
    texts = painted_texts(view)
    assert not [each.text for each in texts if each.is_cut]
    assert {"at the end", "below"} <= {each.text for each in texts}


def test_a_view_gets_many_rows_as_it_needs_them(view: RowsView) -> None:
    view.show_document(document(range(30_000)))
    model = view.rows
    assert model.rowCount() < 10_000
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    first = model.rowCount()
    assert 2_000 < first < 10_000
    view.go_to(15_000)
    assert 15_000 < model.rowCount() < 25_000
    assert view.visualRect(model.place_of(15_000)).intersects(view.viewport().rect())
    assert len(model.document.table.splitlines()) == 30_001
