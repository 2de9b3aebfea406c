import numpy as np
from msgspec.structs import replace

from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.cells.pair_matrices import PairMatrices, matrices_of
from gradviz.export.check.verdict import outcome_sentence
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.report.element_text import values_of
from tests.builders import tensor
from tests.viewer.traces import ANALYTICAL, NUMERICAL, wrong_report


def made(numerical: np.ndarray, analytical: np.ndarray) -> PairMatrices:
    report = wrong_report()
    pairs = tensor(1, numerical)[1], tensor(2, analytical)[1]
    return matrices_of(report, report.blocks[1], *pairs)


def test_difference_is_analytical_minus_numerical_on_its_own_scale() -> None:
    matrices = made(NUMERICAL, ANALYTICAL)
    assert (matrices.layers[2].values == ANALYTICAL - NUMERICAL).all()
    assert [each.colors.limit for each in matrices.layers] == [3.0, 3.0, 1.0]


def test_noise_below_the_tolerance_is_not_painted_strongly() -> None:
    matrices = made(NUMERICAL, NUMERICAL + 1e-9)
    assert matrices.layers[2].colors.limit == 1e-5


def test_wrong_elements_are_those_of_gradcheck_s_rule() -> None:
    numerical = np.array([[1.0, 1.0, 0.0, 1.0, np.inf]])
    analytical = np.array([[1.00101, 1.00102, 1.1e-5, np.nan, np.inf]])
    inside = np.isclose(analytical, numerical, rtol=1e-3, atol=1e-5)[0]
    found = {int(column) for _, column in made(numerical, analytical).wrong.cells}
    assert found == {1, 2, 3}
    assert np.flatnonzero(~inside).tolist() == [1, 2, 3]


def test_elements_are_named_by_argument_and_index() -> None:
    matrices = made(NUMERICAL, ANALYTICAL)
    assert check_text.element_name(matrices, 3, 0) == "∂ output[0, 0] / ∂ weight[1, 0]"
    assert check_text.element_name(matrices, 5, 4) == "∂ output[1, 1] / ∂ weight[1, 2]"
    assert values_of(matrices, 3, 0) == [
        ("numerical", "1.0"),
        ("analytical", "2.0"),
        ("difference", "1.0"),
    ]
    assert (
        check_text.element_judgement(matrices, 3, 0) == "worst element, 990.1 times the tolerance"
    )
    assert check_text.element_judgement(matrices, 4, 1) == "990.1 times the tolerance"
    assert check_text.element_judgement(matrices, 0, 0) == "within the tolerance"


def test_a_complex_matrix_without_imaginary_parts_is_colored_by_sign() -> None:
    layers = made(np.array([[-1 + 0j, 2]]), np.array([[-1 + 0j, 2]])).layers
    assert (layers[0].heat == [[-1.0, 2.0]]).all()
    assert (made(np.array([[3 + 4j]]), np.array([[0j]])).layers[0].heat == [[5.0]]).all()


def test_the_noise_of_the_central_difference_is_left_out_in_cells_only() -> None:
    values = np.array([[1.0000000001, -1e-10, 0.99999, 2.5, np.inf, np.nan]])
    matrices = made(values, values)
    shown = without_noise_in_cells(values)
    assert [number_text(value, 5) for value in shown[0]] == [
        "1",
        "0",
        "0.99999",
        "2.5",
        "inf",
        "nan",
    ]
    assert "1.0000000001" in values_of(matrices, 0, 0)[0][1]


def test_verdicts_have_sentences() -> None:
    report = wrong_report()
    assert "6 of 36 outside the tolerance" in check_text.headline(report)
    assert "1e-05 + 0.001" in check_text.rule(report)
    right = replace(report, verdict="match", blocks=report.blocks[:1])
    assert check_text.headline(right) == outcome_sentence(right)
