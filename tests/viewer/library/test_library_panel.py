"""The Library panel: listing, filtering, and choosing by mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.catalogue.language import use_language
from gradviz.cli.main import main
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.gallery.registry import SCENES, offer_of, scene
from gradviz.model.inputs import Offer, RunSubject
from gradviz.text.titles import origin_title
from gradviz.viewer.commands.command_list import scene_commands
from gradviz.viewer.library.library_search import LibrarySearch
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.library.scene_sketches import scene_sketches
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from gradviz.worker.prepared_call import origin_of
from tests.viewer.painted_texts import painted_texts
from tests.viewer.pixels import Pixels, part, pixels_of, pixels_of_image

FILE = Path("/home/me/my_functions.py")


@pytest.fixture
def search(qtbot: QtBot) -> LibrarySearch:
    search = LibrarySearch(LIGHT, LibraryPanel(LIGHT))
    search.resize(270, 420)
    qtbot.addWidget(search)
    search.show()
    return search


def library_in(search: LibrarySearch) -> LibraryPanel:
    return search.findChildren(LibraryPanel)[0]


def is_hidden(library: LibraryPanel, row: QModelIndex) -> bool:
    return library.isRowHidden(row.row(), row.parent())


def shown(library: LibraryPanel) -> list[str]:
    rows = [library.place_of(each) for each in library.entries()]
    hidden = [is_hidden(library, row) or is_hidden(library, row.parent()) for row in rows]
    return [row.data() for row, skipped in zip(rows, hidden, strict=True) if not skipped]


def offer(name: str, line: int = 12) -> Offer:
    return Offer(subject=RunSubject(path=str(FILE), name=name), title=name, inputs=(), line=line)


def test_all_scenes_are_there_with_their_summaries(search: LibrarySearch) -> None:
    library = library_in(search)
    assert shown(library) == [each.title for each in SCENES]
    for each in SCENES:
        entry = library.entry_of(offer_of(each).subject)
        assert entry is not None
        assert each.summary.split(".")[0].split("'")[0] in entry.row.fields[0].tip


GERMAN = {
    "scene.exp.title": "Exponentialfunktion",
    "scene.exp.summary": "Sie ist ihre eigene Ableitung.",
    "scene_group.first-functions": "Erste Functions",
}


@pytest.fixture
def german() -> Iterator[None]:
    use_language("de", GERMAN)
    yield
    use_language("en", {})


def test_scenes_and_groups_are_translated(
    german: None, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    library = LibraryPanel(LIGHT)
    qtbot.addWidget(library)
    row = library.place_of(library.entry_of(offer_of(scene("exp")).subject))
    assert row.data() == GERMAN["scene.exp.title"]
    assert row.parent().data() == GERMAN["scene_group.first-functions"]
    assert GERMAN["scene.exp.summary"] in row.data(Qt.ItemDataRole.ToolTipRole)
    commands = {each.title: each.path for each in scene_commands(lambda _: None)}
    assert commands["Run scene: Exponentialfunktion"].endswith("Erste Functions")
    assert main(["scenes"]) == 0
    printed = capsys.readouterr().out
    assert all(text in printed for text in GERMAN.values())
    origin = origin_of(offer_of(scene("exp")), "cpu")
    assert (origin.title, origin_title(origin)) == ("Exp", "Exponentialfunktion")


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("exp", ["Exp"]),
        ("  LINEAR three METHODS ", ["LinearFunction, split"]),
        ("lacks purpose", ["LinearFunction, wrong on purpose"]),
        ("transpose", ["LinearFunction, wrong on purpose"]),
        ("setup_context", ["LinearFunction, split"]),
        ("cube-wrong-alone", ["MyCube, an intermediate saved, alone"]),
        ("nothing of the kind", []),
        ("", [each.title for each in SCENES]),
    ],
)
def test_words_leave_what_holds_them_all(
    search: LibrarySearch, qtbot: QtBot, text: str, titles: list[str]
) -> None:
    qtbot.keyClicks(search.field, text)
    assert shown(library_in(search)) == titles
    assert bool(search.status_text) == (not titles)


def test_enter_runs_the_first_match_and_escape_shows_all(
    search: LibrarySearch, qtbot: QtBot
) -> None:
    library = library_in(search)
    qtbot.keyClicks(search.field, "exp")
    with qtbot.waitSignal(library.picked) as caught:
        qtbot.keyClick(search.field, Qt.Key.Key_Return)
    assert caught.args[0].title == "Exp"
    qtbot.keyClick(search.field, Qt.Key.Key_Escape)
    assert search.field.text() == ""
    assert len(shown(library)) == len(SCENES)


def test_down_goes_to_the_list_and_enter_runs_there(search: LibrarySearch, qtbot: QtBot) -> None:
    library = library_in(search)
    qtbot.keyClicks(search.field, "linear")
    qtbot.keyClick(search.field, Qt.Key.Key_Down)
    assert search.focusWidget() is library
    qtbot.keyClick(library, Qt.Key.Key_Down)
    with qtbot.waitSignal(library.picked) as caught:
        qtbot.keyClick(library, Qt.Key.Key_Return)
    assert caught.args[0].title == shown(library)[1]


def test_keys_reach_no_hidden_entry(search: LibrarySearch, qtbot: QtBot) -> None:
    library = library_in(search)
    library.setCurrentIndex(library.place_of(library.entry_of(offer_of_exp().subject)))
    qtbot.keyClicks(search.field, "nothing like it")
    qtbot.keyClick(search.field, Qt.Key.Key_Down)
    assert search.focusWidget() is not library
    for receiver in (search.field, library):
        with qtbot.assertNotEmitted(library.picked):
            qtbot.keyClick(receiver, Qt.Key.Key_Return)


def test_offers_of_a_file_stand_with_their_line(search: LibrarySearch, qtbot: QtBot) -> None:
    library = library_in(search)
    library.show_file(FILE, (offer("Mine"), offer("Other", 0)))
    row = library.place_of(library.entry_of(offer("Mine").subject))
    assert library.rows.row_at(row).texts == ("Mine", "my_functions.py:12")
    assert row.data(Qt.ItemDataRole.AccessibleTextRole) == "Mine, my_functions.py:12"
    assert "/home/me/my_functions.py:12" in row.data(Qt.ItemDataRole.ToolTipRole)
    other = library.place_of(library.entry_of(offer("Other").subject))
    assert library.rows.row_at(other).texts[1] == "my_functions.py"
    qtbot.keyClicks(search.field, "my_func")
    assert shown(library) == ["Mine", "Other"]
    # The file is saved while the filter stands: what comes is filtered as well.
    library.show_file(FILE, (offer("Mine", 13),))
    assert shown(library) == ["Mine"]
    search.field.setText("exp")
    library.show_file(FILE, (offer("Mine", 14),))
    assert shown(library) == ["Exp"]


def test_files_of_the_user_come_first(search: LibrarySearch) -> None:
    library = library_in(search)
    library.show_recent((FILE.with_name("other.py"),))
    library.show_file(FILE, (offer("Mine"),))
    assert shown(library)[:3] == ["Mine", "other.py", SCENES[0].title]
    assert library.rows.index(0, 0).data() == "Your Files"


def picture_of(library: LibraryPanel, subject: RunSubject) -> Pixels:
    pixmap = library.place_of(library.entry_of(subject)).data(Qt.ItemDataRole.DecorationRole)
    return pixels_of_image(pixmap.toImage())


def has_color(picture: Pixels, theme: Theme, role: PaletteRole) -> bool:
    return bool((picture == theme.color(role).getRgb()[:3]).all(axis=2).any())


def test_a_scene_has_a_picture_of_its_graph_in_both_themes(qtbot: QtBot) -> None:
    theme = Theme(name="light")
    library = LibraryPanel(theme)
    qtbot.addWidget(library)
    subjects = [offer_of(scene(name)).subject for name in ("linear", "exp", "scalar-tensor")]
    light = [picture_of(library, each) for each in subjects]
    assert {each.shape for each in light} == {(36, 48, 3)}
    assert [has_color(each, LIGHT, "custom_fill") for each in light] == [True, True, False]
    assert [has_color(each, LIGHT, "output_fill") for each in light] == [True, True, False]
    assert (light[0] != light[1]).any()
    theme.name = "dark"
    library.rows.update_theme()
    dark = picture_of(library, subjects[0])
    assert has_color(dark, DARK, "custom_fill")
    assert not has_color(dark, DARK, "error_fill")


def test_a_file_has_a_picture_of_its_last_run(search: LibrarySearch) -> None:
    library = library_in(search)
    library.show_file(FILE, (offer("Mine"), offer("Other")))
    subject, other = offer("Mine").subject, offer("Other").subject
    assert not has_color(picture_of(library, subject), LIGHT, "custom_fill")
    library.show_sketch(subject, scene_sketches()["exp"])
    exp = picture_of(library, offer_of(scene("exp")).subject)
    assert (picture_of(library, subject) == exp).all()
    assert not has_color(picture_of(library, other), LIGHT, "custom_fill")
    # It is still the same entry after the file was saved.
    library.show_file(FILE, (offer("Mine", 13),))
    assert (picture_of(library, subject) == exp).all()


def test_what_is_run_is_brought_into_sight_with_its_group(search: LibrarySearch) -> None:
    search.resize(270, 260)
    library = library_in(search)
    offers = tuple(offer(f"Mine{at}") for at in range(4))
    library.show_file(FILE, offers)
    library.mark(offers[0])
    rows = [library.place_of(library.entry_of(each.subject)) for each in offers]
    sight = library.viewport().rect()
    assert all(sight.contains(library.visualRect(each)) for each in [rows[0].parent(), *rows])
    library.mark(offers[2])
    place = library.verticalScrollBar().value()
    library.mark(offers[3])
    assert library.verticalScrollBar().value() == place


@pytest.mark.parametrize("is_selected", [True, False])
def test_what_is_current_and_in_sight_stays_when_a_file_is_listed_again(
    search: LibrarySearch, *, is_selected: bool
) -> None:
    library = library_in(search)
    library.show_recent((FILE, FILE.with_name("other.py")))
    library.show_file(FILE, (offer("Mine"),))
    for at in (3, -2, -1):
        entry = list(library.entries())[at]
        library.go_to(entry.key)
        if not is_selected:
            library.clearSelection()
        library.verticalScrollBar().setValue(7)
        library.show_file(FILE, (offer("Mine", 13), offer("More")))
        QApplication.processEvents()
        shown_entry = library.shown_entry()
        assert shown_entry is not None
        assert shown_entry.row.texts[0] == entry.row.texts[0]
        assert library.selectionModel().hasSelection() == is_selected
        assert library.verticalScrollBar().value() == 7
        library.show_file(FILE, (offer("Mine"),))


@pytest.mark.parametrize("theme", [LIGHT, DARK, Theme(name="light", scale=1.6)], ids=str)
def test_the_chosen_entry_is_seen(qtbot: QtBot, theme: Theme) -> None:
    library = LibraryPanel(theme)
    search = LibrarySearch(theme, library)
    search.resize(300, 500)
    qtbot.addWidget(search)
    search.show()
    exp = library.place_of(library.entry_of(offer_of_exp().subject))
    library.setCurrentIndex(exp)
    box = library.visualRect(exp).toRectF()
    assert box.height() >= theme.px(36), "as high as its picture"
    ground = part(pixels_of(library.viewport()), box, 6).reshape(-1, 3)
    chosen = theme.color("selection").getRgb()[:3]
    assert (ground == chosen).all(axis=1).mean() > 0.5


def offer_of_exp() -> Offer:
    return Offer(subject=RunSubject(scene="exp"), title="Exp", inputs=())


def test_a_click_picks_and_a_heading_does_not(search: LibrarySearch, qtbot: QtBot) -> None:
    library = library_in(search)
    picked: list[Offer] = []
    library.picked.connect(picked.append)
    exp = library.place_of(library.entry_of(offer_of_exp().subject))
    for row in (exp.parent(), exp):
        place = library.visualRect(row).center()
        qtbot.mouseClick(library.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [each.title for each in picked] == ["Exp"]


def test_long_names_are_whole_beside_the_graph(search: LibrarySearch) -> None:
    search.resize(270, 2000)
    library = library_in(search)
    library.mark(offer_of(scene("linear-squeeze-one")))
    QApplication.processEvents()
    texts = painted_texts(library)
    assert [each.text for each in texts if each.is_cut or "…" in each.text] == []
    words = " ".join(each.text for each in texts).split()
    assert set(words) >= {word for each in SCENES for word in each.title.split()}
