"""The heatmaps of a Jacobian check as SVG."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from gradviz.drawing.appearance.color_map import color_table, colors_of_values
from gradviz.drawing.appearance.palette import PaletteTheme, theme_paint
from gradviz.drawing.cells.pair_matrices import read_matrices
from gradviz.export.check.svg import check_svg
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg_cells import encode_png
from gradviz.export.page.jacobian_data import pooled
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianReport
from tests.export.check_reports import Matrices, report_of

NUMERICAL = np.array([[1.0, -2.0], [0.0, 3.0], [0.5, 0.0]])
LIGHT = theme_paint("light")


def drawn(report: JacobianReport, matrices: Matrices, pair: str = "") -> ElementTree.Element:
    return ElementTree.fromstring(check_svg(report, matrices.values, LIGHT, pair=pair))


def texts(root: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in root.iter() if each.tag.endswith("}text")]


def small(*diagnoses: Diagnosis) -> tuple[JacobianReport, Matrices]:
    wrong = NUMERICAL.copy()
    wrong[1, 1] = 4
    return report_of(("x", (3,), (2,), NUMERICAL, wrong), diagnoses=diagnoses)


def pixels(png: bytes) -> npt.NDArray[np.uint8]:
    """Decodes what `encode_png` writes, checksums included."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, size = 8, b"", (0, 0)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", body)
            assert form == [8, 2, 0, 0, 0]
            size = (height, width)
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(size[0], 1 + 3 * size[1])
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(*size, 3)


def test_a_png_has_the_pixels() -> None:
    given = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    assert np.array_equal(pixels(encode_png(given)), given)


def test_each_map_has_its_numbers_labels_and_marks() -> None:
    diagnosis = Diagnosis(code="unknown", message="Not known.", output=0, input=0)
    root = drawn(*small(diagnosis))
    found = texts(root)
    for title in ("numerical", "analytical", "difference (a − n)"):
        assert title in found
    assert found.count("-2") == 2
    assert found.count("4") == 1
    # Indices of the rows at the first map, and of the columns below each.
    in_cells, in_legend = 2 + 2 + 5, 1
    assert found.count("0") == in_cells + in_legend + 1 + 3
    assert "rows: x, [3]" in found
    assert "Failed: the analytical and the numerical Jacobians do not match." in found
    assert 'Diagnosis [unknown] output 0, input 0 "x": Not known.' in found
    assert "outside the tolerance" in found
    corners = [
        each.attrib.get("d", "") for each in root.iter() if each.attrib.get("fill") == "#000000"
    ]
    assert sum("z" in each for each in corners) >= 3


def test_cells_have_the_colors_of_the_window() -> None:
    report, matrices = small()
    text = check_svg(report, matrices.values, LIGHT)
    for value, limit in ((-2.0, 4.0), (3.0, 4.0), (1.0, 1.0)):
        assert f'fill="#{colors_of_values(np.array(value), limit).tobytes().hex()}"' in text


def test_a_check_that_passed_says_so() -> None:
    none = Diagnosis(code="none", message="Nothing.", output=None, input=None)
    found = texts(drawn(*report_of(("x", (3,), (2,), NUMERICAL, NUMERICAL), diagnoses=(none,))))
    assert "Passed: the analytical and the numerical Jacobians match." in found
    assert "outside the tolerance" not in found
    cut = texts(drawn(*report_of(("x", (3,), (2,), NUMERICAL, NUMERICAL), verdict="incomplete")))
    assert "No result: the check was canceled." in cut


@pytest.mark.parametrize("place", [(417, 588), (899, 998)])
def test_a_single_bad_cell_of_a_large_map_does_not_vanish(place: tuple[int, int]) -> None:
    numerical = np.zeros((900, 999))
    analytical = numerical.copy()
    analytical[place] = 1.0
    report, matrices = report_of(("x", (900,), (999,), numerical, analytical))
    maps = read_matrices(report, report.blocks[0], matrices.values)
    assert maps is not None
    assert maps.wrong.cells.tolist() == [list(place)]
    assert maps.worst == place
    root = drawn(report, matrices)
    images = [each for each in root.iter() if each.tag.endswith("}image")]
    shown = pixels(base64.b64decode(images[2].attrib["href"].partition(",")[2]))
    found = np.argwhere((shown == colors_of_values(np.array(1.0), 1.0)).all(axis=2))
    # Blocks of four by four elements, each in a place of its own.
    assert 2 <= len(found) <= 9
    for each in found:
        at = each * (900, 999) // shown.shape[:2]
        assert (at // 4).tolist() == [place[0] // 4, place[1] // 4]
    assert any("each cell shows the largest of 4×4 elements" in each for each in texts(root))


def test_pooling_keeps_the_largest_magnitude_and_what_is_not_finite() -> None:
    heat = np.array([[1.0, -3.0, 2.0, np.nan], [0.0, 2.0, -np.inf, 5.0]])
    assert pooled(heat, (2, 2))[0].tolist()[0] == -3
    assert np.isnan(pooled(heat, (2, 2))[0, 1])
    assert pooled(heat[:, :3], (2, 3)).tolist() == [[-np.inf]]
    random = np.random.default_rng(1).normal(size=(11, 13))
    found = pooled(random, (4, 5))
    for row in range(3):
        for column in range(3):
            part = random[4 * row : 4 * row + 4, 5 * column : 5 * column + 5]
            assert found[row, column] == part.flat[np.abs(part).argmax()]


def test_one_pair_can_be_chosen_by_its_name() -> None:
    report, matrices = report_of(
        ("x", (3,), (2,), NUMERICAL, NUMERICAL), ("w", (3,), (2,), NUMERICAL, NUMERICAL)
    )
    assert texts(drawn(report, matrices)).count("numerical") == 2
    for name in ("w", "output/w"):
        found = texts(drawn(report, matrices, pair=name))
        assert found.count("numerical") == 1
        assert 'output 0, input 1 "w": match, 6 elements' in found
    with pytest.raises(
        ExportError, match="There is no pair b; available pairs: output/x, output/w"
    ):
        drawn(report, matrices, pair="b")


def test_of_many_pairs_the_wrong_ones_are_drawn() -> None:
    right = [(f"x{at}", (3,), (2,), NUMERICAL, NUMERICAL) for at in range(9)]
    report, matrices = report_of(*right, ("w", (3,), (2,), NUMERICAL, 2 * NUMERICAL))
    found = texts(drawn(report, matrices))
    assert found.count("numerical") == 8
    assert any(each.startswith('output 0, input 9 "w": mismatch') for each in found)
    assert "2 more pairs are not shown." in found


def test_empty_and_scalar_pairs_are_drawn_or_left_out() -> None:
    report, matrices = report_of(("x", (0,), (2,), np.zeros((0, 2)), np.zeros((0, 2))))
    assert "1 more pair is not shown." in texts(drawn(report, matrices))
    one = np.array([[2.0 + 1j]])
    assert "2" in texts(drawn(*report_of(("x", (), (), one.real, one.real))))


def test_complex_numbers_are_colored_by_their_magnitude() -> None:
    matrix = np.array([[-0.123 - 1.456j, 0], [0, 2]])
    found = texts(drawn(*report_of(("x", (2,), (2,), matrix, matrix.conj()))))
    assert "-0.123-1.456j" in found
    assert any("colors show magnitudes" in each for each in found)
    real = texts(drawn(*report_of(("x", (2,), (2,), matrix.real + 0j, matrix.real + 0j))))
    assert "-0.123" in real
    assert not any("colors show magnitudes" in each for each in real)


def test_hostile_names_stay_text() -> None:
    name = '<img src=x>"];\x1b[31m&\ud800'
    report, matrices = small()
    block = replace(report.blocks[0], input_name=name, output_name=name)
    diagnosis = Diagnosis(code="unknown", message=name * 100, output=None, input=None)
    report = replace(report, blocks=(block,), subject=name, diagnoses=(diagnosis,))
    text = check_svg(report, matrices.values, LIGHT)
    root = ElementTree.fromstring(text)
    assert not [each for each in root.iter() if each.tag.endswith("}img")]
    assert "<img" not in text
    text.encode()


def test_the_themes_differ_in_their_colors_only() -> None:
    report, matrices = small()
    light, dark = [
        ElementTree.fromstring(check_svg(report, matrices.values, theme_paint(theme)))
        for theme in get_args(PaletteTheme)
    ]
    # Numbers are grouped by their color.
    assert sorted(texts(light)) == sorted(texts(dark))
    zeros = [f"#{color_table(theme)[255].tobytes().hex()}" for theme in get_args(PaletteTheme)]
    for root, shown, hidden in ((light, *zeros), (dark, *reversed(zeros))):
        fills = {each.get("fill") for each in root.iter()}
        assert shown in fills
        assert hidden not in fills
