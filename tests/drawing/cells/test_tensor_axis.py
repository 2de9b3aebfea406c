"""Separators and ticks follow the shapes of the tensors."""

from itertools import pairwise

import pytest

from gradviz.drawing.cells.tensor_axis import (
    TensorAxis,
    named_blocks,
    separators,
    ticks_of,
)

WEIGHT = TensorAxis(name="weight", shape=(2, 3))
DEEP = TensorAxis(name="x", shape=(2, 3, 4))


def test_a_matrix_has_blocks_of_its_rows() -> None:
    lines = separators(WEIGHT, range(6), 20.0, 7.0)
    assert [line.place for line in lines] == [3]
    assert named_blocks(WEIGHT, range(6), 30.0, 60.0) == [
        (range(3), "weight[0,:]"),
        (range(3, 6), "weight[1,:]"),
    ]


def test_outer_dimensions_have_bolder_lines() -> None:
    lines = {line.place: line.weight for line in separators(DEEP, range(24), 20.0, 7.0)}
    assert sorted(lines) == [4, 8, 12, 16, 20]
    assert lines[12] > lines[4] == lines[8] == lines[20]


def test_lines_thin_out_where_they_would_be_too_dense() -> None:
    assert [line.place for line in separators(DEEP, range(24), 1.0, 7.0)] == [12]
    assert separators(DEEP, range(24), 0.1, 7.0) == []


def test_names_of_blocks_go_outwards_where_they_would_be_too_dense() -> None:
    assert [name for _, name in named_blocks(DEEP, range(24), 20.0, 60.0)][:2] == [
        "x[0,0,:]",
        "x[0,1,:]",
    ]
    assert [name for _, name in named_blocks(DEEP, range(24), 6.0, 60.0)] == [
        "x[0,:,:]",
        "x[1,:,:]",
    ]
    assert named_blocks(DEEP, range(24), 1.0, 60.0) == []


@pytest.mark.parametrize("shape", [(), (5,), (1,), (1, 5), (5, 1), (0, 3)])
def test_one_dimension_has_no_blocks(shape: tuple[int, ...]) -> None:
    axis = TensorAxis(name="x", shape=shape)
    assert separators(axis, range(axis.count), 20.0, 7.0) == []


@pytest.mark.parametrize("pixels", [0.01, 0.2, 1.0, 3.0, 12.0, 40.0])
@pytest.mark.parametrize("shape", [(4000,), (40, 100), (2, 3, 4), (7, 11, 13), (), (1, 6)])
def test_ticks_fit_and_are_evenly_spaced(shape: tuple[int, ...], pixels: float) -> None:
    axis = TensorAxis(name="x", shape=shape)
    seen = range(axis.count // 3, axis.count)
    places = ticks_of(axis, seen, pixels, 24.0)
    assert all(place in seen for place in places)
    assert all((b - a) * pixels >= 24 for a, b in pairwise(places))
    if len(seen) * pixels > 100:
        assert len(places) >= 2


def test_ticks_restart_in_each_block() -> None:
    axis = TensorAxis(name="x", shape=(3, 10))
    places = ticks_of(axis, range(30), 8.0, 24.0)
    assert {0, 10, 20} <= set(places)
    assert [axis.tick(place) for place in places][:2] == ["0,\N{THIN SPACE}0", "0,\N{THIN SPACE}5"]
    assert axis.element_name(places[-1]) == "x[2, 5]"
