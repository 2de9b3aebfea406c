import dataclasses
import re
import sys

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QFontInfo, QIcon, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gradviz.document.tag import Tag
from gradviz.drawing.appearance.palette import PALETTE, PaletteRole, color, contrast
from gradviz.resource import resource_path
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import (
    DARK,
    LIGHT,
    SHEET_COLORS,
    Theme,
    apply_theme,
    chosen_theme,
    load_fonts,
    mono_family,
    palette_of,
    sheet_color,
    ui_family,
)
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainBlock, PlainLabel, plain_tooltip
from gradviz.viewer.window.window_style import window_style
from gradviz.viewer.window_controller import make_application
from tests.programs import run_program
from tests.viewer.pixels import grey, pixels_of, pixels_of_image

ICONS = sorted(path.stem for path in resource_path("icons").glob("*.svg"))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_theme_s_colors_are_the_palette_s(theme: Theme) -> None:
    for role in PALETTE:
        assert theme.color(role).name() == color(role, theme.name)
    palette = palette_of(theme)
    assert palette.color(QPalette.ColorRole.WindowText).name() == color("text", theme.name)


@pytest.mark.parametrize("role", SHEET_COLORS)
def test_style_sheets_get_the_theme_s_colors(qtbot: QtBot, role: PaletteRole) -> None:
    app = make_application([])
    apply_theme(app, LIGHT)
    label = QLabel()
    qtbot.addWidget(label)
    label.setStyleSheet(f"background: {sheet_color(role)};")
    label.resize(4, 4)
    for theme in (LIGHT, DARK, LIGHT):
        apply_theme(app, theme)
        assert label.grab().toImage().pixelColor(1, 1).name() == color(role, theme.name)


def test_themes_are_chosen(qapp: QApplication) -> None:
    assert chosen_theme("light", qapp) == LIGHT
    assert chosen_theme("dark", qapp) == DARK
    assert chosen_theme("system", qapp) in (LIGHT, DARK)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("kind", [QCheckBox, QSpinBox, QLineEdit, QComboBox])
def test_what_can_be_filled_in_has_a_frame_that_is_seen(
    qtbot: QtBot, theme: Theme, kind: type[QWidget]
) -> None:
    app = make_application([])
    apply_theme(app, theme)
    window = QWidget()
    field = kind(window)
    field.setGeometry(10, 10, 120, 30)
    window.resize(140, 50)
    qtbot.addWidget(window)
    window.show()
    image = window.grab().toImage()
    middle = 10 + field.height() // 2
    colors = {image.pixelColor(x, middle).name() for x in range(10, 18)}
    best = max(contrast(each, color("window", theme.name)) for each in colors)
    assert best >= 3.0


def test_the_bundled_fonts_are_used(qapp: QApplication) -> None:
    assert (ui_family(), mono_family()) == ("Inter", "Hack")
    assert "Inter" in load_fonts()
    bold = LIGHT.font(bold=True)
    assert bold.weight() == QFont.Weight.DemiBold
    assert QFontInfo(LIGHT.font(mono=True)).fixedPitch()


@pytest.mark.parametrize("name", ICONS)
def test_icons_take_the_theme_s_color_and_fill_their_square(qapp: QApplication, name: str) -> None:
    svg = resource_path(f"icons/{name}.svg").read_text()
    assert not re.search(r"#[0-9a-fA-F]{3,6}", svg)
    image = icon(name, LIGHT, "accent").pixmap(QSize(48, 48)).toImage()
    inked = [
        image.pixelColor(x, y).rgb()
        for x in range(48)
        for y in range(48)
        if image.pixelColor(x, y).alpha() == 255
    ]
    assert inked
    expected = np.array(LIGHT.color("accent").getRgb()[:3])
    found = np.array([QColor(rgb).getRgb()[:3] for rgb in inked])
    assert np.abs(found - expected).max() <= 2
    pale = icon(name, LIGHT).pixmap(QSize(48, 48), QIcon.Mode.Disabled).toImage()
    full = icon(name, LIGHT).pixmap(QSize(48, 48)).toImage()
    assert (pixels_of_image(pale) != pixels_of_image(full)).any()


def test_all_text_sizes_share_an_icon() -> None:
    larger = dataclasses.replace(LIGHT, scale=1.25)
    assert icon("play", larger).cacheKey() == icon("play", LIGHT).cacheKey()
    assert icon("play", DARK).cacheKey() != icon("play", LIGHT).cacheKey()


def test_an_unknown_icon_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        icon("no-such-icon", LIGHT)


def test_text_from_outside_is_plain(qtbot: QtBot) -> None:
    text = '<img src=x>"];\x1b[31m'
    label = PlainLabel(text)
    qtbot.addWidget(label)
    assert label.text() == '<img src=x>"];\\x1b[31m'
    assert "<img" not in plain_tooltip(text)
    label.show_short("<b>bold</b>" * 40, 100)
    assert "…" in label.text()
    assert "<b>" not in label.toolTip()


def test_blocks_are_as_high_as_their_lines(qtbot: QtBot) -> None:
    block = PlainBlock("word " * 100)
    qtbot.addWidget(block)
    block.resize(400, 20)
    block.show()
    wide = block.height()
    block.resize(200, 20)
    assert block.height() > wide
    last = block.cursorRect().bottom() if block.textCursor().atEnd() else 0
    block.moveCursor(block.textCursor().MoveOperation.End)
    last = block.cursorRect().bottom()
    assert last <= block.viewport().height()


def test_blocks_show_control_characters_and_cut_long_texts(qtbot: QtBot) -> None:
    block = PlainBlock("a\x1b[31m\u202eb\nc")
    qtbot.addWidget(block)
    assert block.toPlainText() == "a\\x1b[31m\\u202eb\nc"
    for text in ("x" * 1_000_000, "\x00" * 9_000):
        block.show_text(text)
        first, shown = block.toPlainText().split("\n")
        assert first == "Only the beginning of this text is shown:"
        assert len(shown) == 10_000
        assert shown.endswith(f"… (cut; {len(text):,} characters in all)")


def test_a_flow_goes_on_in_the_next_line(qtbot: QtBot) -> None:
    box = QWidget()
    qtbot.addWidget(box)
    flow = FlowLayout(box)
    for _ in range(4):
        label = QLabel()
        label.setFixedSize(80, 20)
        flow.addWidget(label)
    box.resize(180, 100)
    box.show()
    places = [(item.geometry().x(), item.geometry().y()) for item in map(flow.itemAt, range(4))]
    assert [x for x, _ in places] == [0, 86, 0, 86]
    assert places[2][1] > places[0][1]
    assert flow.heightForWidth(400) == 20


def test_pills_can_be_read_in_both_themes(qtbot: QtBot) -> None:
    for theme in (LIGHT, DARK):
        pill = Pill(Tag("leaf", "leaf", "The argument itself."), theme)
        qtbot.addWidget(pill)
        pill.show()
        assert float(grey(pixels_of(pill)).max() - grey(pixels_of(pill)).min()) > 120
        assert pill.accessibleDescription() == "The argument itself."


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_frame_of_a_field_can_be_seen_with_and_without_the_focus(
    theme: Theme, qapp: QApplication, qtbot: QtBot
) -> None:
    apply_theme(qapp, theme)
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet(window_style(theme))
    fields = QLineEdit(), QLineEdit()
    lay_out(QVBoxLayout(window), *fields)
    window.show()
    fields[0].setFocus()
    qtbot.waitUntil(fields[0].hasFocus)
    for field in fields:
        pixels = pixels_of(field)
        frame = QColor(*(int(channel) for channel in pixels[len(pixels) // 2, 0]))
        assert contrast(frame.name(), color("panel", theme.name)) >= 3
    apply_theme(qapp, LIGHT)


def test_the_panels_bring_neither_torch_nor_pyqtgraph() -> None:
    code = (
        "import sys; import gradviz.viewer.inspector.inspector, gradviz.viewer.jacobians.panel, "
        "gradviz.viewer.console; "
        "print([name for name in ('torch', 'pyqtgraph') if name in sys.modules])"
    )
    done = run_program([sys.executable, "-c", code], check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_an_icon_in_a_selected_row_keeps_its_color(qtbot: QtBot, theme: Theme) -> None:
    sign = icon("check", theme, "ok")
    plain = sign.pixmap(16, QIcon.Mode.Normal).toImage()
    assert sign.pixmap(16, QIcon.Mode.Selected).toImage() == plain
    assert sign.pixmap(16, QIcon.Mode.Disabled).toImage() != plain
