from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.jacobians import panel as panel_module
from gradviz.viewer.jacobians.check_text import title_of
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT
from gradviz.viewer.theme.theme_update import theme_of, update_all_themes
from tests.viewer.jacobians.diagnosed_reports import (
    CURVE,
    KINK,
    NOISE,
    NONE,
    SAMPLED,
    STRIDES,
    TRANSPOSED,
    TRIALS,
    UNKNOWN,
    agreeing,
    explained,
    reader_of,
)
from tests.viewer.jacobians.panel_reports import Opener as ReaderOpener
from tests.viewer.pixels import pixels_of

Opener = Callable[[JacobianReport], JacobiansPanel]


@pytest.fixture
def states() -> list[ViewerState]:
    """The states of the panels that a test has opened."""
    return []


@pytest.fixture
def opened(opened: ReaderOpener, states: list[ViewerState]) -> Opener:
    def open_on(report: JacobianReport) -> JacobiansPanel:
        panel, state = opened(reader_of(report))
        states.append(state)
        panel.resize(980, 900)
        return panel

    return open_on


def titles(panel: JacobiansPanel) -> list[str]:
    return [card.texts[0] for card in panel.findings.cards]


def test_a_code_of_a_newer_gradviz_is_its_own_title() -> None:
    assert title_of("sign_of_the_times") == "sign_of_the_times"


def test_an_error_is_no_unknown_cause(opened: Opener) -> None:
    report = replace(explained(UNKNOWN), verdict="error", blocks=())
    assert titles(opened(report)) == []


def test_a_card_shows_diagnosis_confidence_evidence_and_repair(opened: Opener) -> None:
    panel = opened(explained(TRANSPOSED))
    assert panel.findings.cards[0].texts == (
        "Transposed",
        "certain",
        "The gradient of weight lacks a transpose: look for a .t() in backward.",
        "Try this: Dimensions 0 of weight and of output are exchanged.",
        "6 wrong → 0 wrong",
        "• All 36 numbers are those of the other with two dimensions exchanged.",
    )
    assert panel.findings.cards[0].repair_button.isVisible()
    said = panel.pairs.rows.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "6 of 36 wrong · Transposed" in said


def test_another_pair_has_its_own_cards(opened: Opener) -> None:
    panel = opened(explained(TRANSPOSED, NOISE))
    assert titles(panel) == ["Transposed", "Low-precision rounding"]
    panel.pairs.go_to(0)
    assert titles(panel) == ["Low-precision rounding"]
    assert "about the whole function" in panel.findings.cards[0].texts


def test_the_pair_of_the_first_fault_is_chosen(opened: Opener) -> None:
    fault = replace(TRANSPOSED, input=0, repair=None)
    assert opened(explained(KINK, fault)).pairs.current_key == 0


def test_what_is_not_known_is_reported(opened: Opener) -> None:
    panel = opened(explained(UNKNOWN))
    assert panel.findings.cards[0].texts == (
        "Unknown cause",
        "It fits no mistake that gradviz can tell.",
    )


def test_nothing_is_calm(opened: Opener) -> None:
    panel = opened(agreeing(NONE))
    assert panel.findings.cards[0].texts[0] == "No wrong gradient found"
    assert panel.findings.verdict.texts[0].startswith("Passed: ")
    assert panel.findings.buttons == ()


def test_what_gradcheck_does_not_see_is_loud(opened: Opener) -> None:
    panel = opened(agreeing(STRIDES, trials=TRIALS))
    assert panel.findings.verdict.texts[0] == (
        "Failed: the Jacobians match, but gradcheck misses an error."
    )
    wrong = pixels_of(panel.findings.verdict)[4, 200]
    calm = pixels_of(opened(agreeing(NONE)).findings.verdict)[4, 200]
    assert wrong[0] > wrong[1]
    assert calm[0] < calm[1]


def test_evidence_against_the_check_is_not_a_fault(opened: Opener) -> None:
    panel = opened(explained(KINK))
    assert panel.findings.verdict.texts[0].startswith("Failed: ")
    assert (
        "This points to a problem with the check, not with the function: Kink at this point."
        in panel.findings.verdict.texts
    )
    ground, fault = (
        pixels_of(each)[4, 200]
        for each in (panel.findings.verdict, opened(explained(TRANSPOSED)).findings.verdict)
    )
    assert tuple(ground) != tuple(fault)


@pytest.mark.parametrize(
    ("report", "text", "settings"),
    [
        (explained(NOISE, dtype="float32"), "Check in float64", CheckSettings(cast=True)),
        (explained(KINK), "Shift Inputs and Check Again", CheckSettings(nudge=0.001)),
        (
            explained(KINK, nudge=0.001),
            "Shift Inputs Further and Check Again",
            CheckSettings(nudge=0.01),
        ),
        (
            explained(NOISE, dtype="float32", curves=(CURVE,)),
            "Check with Wider Tolerances",
            CheckSettings(eps=5e-3, atol=1e-3, rtol=1e-2),
        ),
        (
            explained(NOISE, curves=(CURVE,)),
            "Check with eps 1e-05",
            CheckSettings(eps=1e-5),
        ),
    ],
)
def test_a_report_offers_the_more_detailed_check(
    opened: Opener, qtbot: QtBot, report: JacobianReport, text: str, settings: CheckSettings
) -> None:
    panel = opened(report)
    panel.set_checkable(True)
    [button] = [each for each in panel.findings.buttons if each.text() == text]
    with qtbot.waitSignal(panel.bar.check_requested) as asked:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked.args == [settings, 1]
    later = panel.bar.settings()
    assert later == replace(settings, nudge=0.0)


def test_float64_is_not_offered_twice(opened: Opener) -> None:
    assert opened(explained(UNKNOWN, cast_from="float32")).findings.buttons == ()


def test_trials_stand_with_the_failing_ones_first(opened: Opener, qtbot: QtBot) -> None:
    panel = opened(agreeing(STRIDES, trials=TRIALS))
    incoming = panel.findings.incoming
    assert incoming.isVisible()
    assert [trial.outcome for trial in incoming.trials] == ["fails", "passes"]
    assert incoming.sentence.text() == "An expanded grad_output gives another gradient of weight."
    incoming.table.setFocus()
    qtbot.keyClick(incoming.table, Qt.Key.Key_Down)
    assert incoming.sentence.text() == "Zeros give zeros."
    assert [trial.outcome for trial in panel.findings.variations.trials] == ["raises", "skipped"]


def test_trials_are_copied(opened: Opener, qtbot: QtBot) -> None:
    incoming = opened(agreeing(STRIDES, trials=TRIALS)).findings.incoming
    expected = (
        "Condition\tOutcome\tDetails\n"
        "expanded (stride 0)\tfails\tAn expanded grad_output gives another gradient of weight.\n"
        "zeros\tpasses\tZeros give zeros."
    )
    qtbot.mouseClick(incoming.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == expected
    QGuiApplication.clipboard().clear()
    incoming.table.setFocus()
    qtbot.keyClick(incoming.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == expected.splitlines()[1]


def test_the_options_of_the_check_are_shown(opened: Opener) -> None:
    report = agreeing(NONE, trials=TRIALS, cast_from="float32", nudge=0.01, fast=True, batched=True)
    about = opened(report).findings.verdict.texts[-1]
    for text in (
        "cast from float32",
        "shifted by 0.01 to 0.02",
        "fast mode",
        "batched",
        "other in",
    ):
        assert text in about


def test_the_errors_say_what_they_show(opened: Opener) -> None:
    panel = opened(explained(NOISE, curves=(CURVE,)))
    curve = panel.findings.curve
    said = curve.accessibleName()
    for text in (
        "error against eps at ∂ output[0, 0] / ∂ weight[1, 0]",
        "best eps tried, 1e-05, with error 4e-10",
        "error with eps 1e-06: 1e-09",
        "tolerance 0.001",
    ):
        assert text in said
    rows = curve.accessibleDescription()
    assert "eps 1e-09: error 2e-06, right − left difference 1e-06" in rows
    assert len(np.unique(pixels_of(curve).reshape(-1, 4), axis=0)) > 20
    panel.pairs.go_to(0)
    assert not curve.isVisible()


def test_another_theme_changes_cards_and_plot(opened: Opener) -> None:
    panel = opened(explained(KINK, curves=(CURVE,)))
    card, plot = panel.findings.cards[0], panel.findings.curve
    before = pixels_of(card).copy(), pixels_of(plot).copy()
    theme_of(panel.findings).become(DARK)
    update_all_themes()
    assert (pixels_of(card)[4, 100] != before[0][4, 100]).any()
    assert (pixels_of(plot) != before[1]).any()


def test_the_curve_is_expanded_where_it_matters(opened: Opener, qtbot: QtBot) -> None:
    folded = opened(explained(TRANSPOSED, curves=(CURVE,))).findings
    assert not folded.curve.isVisible()
    assert opened(explained(KINK, curves=(CURVE,))).findings.curve.isVisible()


def test_the_end_of_a_check_is_announced_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    announcements: list[str] = []
    monkeypatch.setattr(panel_module, "announce", lambda _, text: announcements.append(text))
    state = ViewerState(LIGHT)
    panel = JacobiansPanel(state)
    qtbot.addWidget(panel)
    state.show(reader_of(explained(TRANSPOSED)))
    assert announcements == []
    panel.show_progress(1, 2)
    state.reports_changed.emit((explained(TRANSPOSED),))
    panel.show_idle()
    state.show(None)
    assert announcements == [
        "Failed: ∂ output / ∂ weight: 6 of 36 outside the tolerance. Diagnosis: Transposed."
    ]


def test_no_check_is_offered_where_none_can_be_started(opened: Opener) -> None:
    panel = opened(explained(KINK))
    panel.set_checkable(False, "A trace file cannot be checked.")
    assert [each.isEnabled() for each in panel.findings.buttons] == [False]
    panel.set_checkable(True)
    assert [each.isEnabled() for each in panel.findings.buttons] == [True]


def test_a_wrong_pair_shows_its_function_and_both_slopes(opened: Opener) -> None:
    panel = opened(explained(TRANSPOSED, function_curves=(SAMPLED,)))
    view = panel.findings.function
    assert view.isVisible()
    said = view.accessibleName()
    for text in ("weight[1, 0] = 0", "slope 2", "slope 1", "5 samples of weight[1, 0]"):
        assert text in said
    frame = view.frame
    assert frame is not None
    assert frame.width * view.height() == pytest.approx(frame.height * view.width(), rel=0.02)
    assert len(np.unique(pixels_of(view).reshape(-1, 4), axis=0)) > 20
    panel.pairs.go_to(0)
    assert not view.isVisible(), "this pair was not sampled"
    assert not opened(explained(TRANSPOSED)).findings.function.isVisible()


def test_the_function_is_that_of_the_element_under_the_cursor(opened: Opener) -> None:
    other = replace(SAMPLED, row=4, column=1)
    panel = opened(explained(TRANSPOSED, function_curves=(SAMPLED, other)))
    function = panel.findings.function
    assert "weight[1, 0]" in function.accessibleName()
    assert panel.maps.view is not None
    panel.maps.view.request_cell((4, 1))
    assert "weight[1, 1]" in function.accessibleName()
    panel.maps.view.request_cell((0, 0))
    assert "weight[1, 0]" in function.accessibleName(), "the worst one, as this was not sampled"


def test_an_element_that_was_not_sampled_is_sampled_on_demand(
    opened: Opener, states: list[ViewerState]
) -> None:
    first = explained(TRANSPOSED, function_curves=(SAMPLED,))
    panel = opened(first)
    panel.set_checkable(True)
    asked: list[CheckSettings] = []
    panel.bar.check_requested.connect(lambda settings, _: asked.append(settings))
    button, view = panel.findings.sample_button, panel.maps.view
    assert view is not None
    assert not button.isVisible()
    view.request_cell((3, 0))
    assert not button.isVisible(), "this one was sampled"
    view.request_cell((4, 1))
    assert button.isVisible()
    button.click()
    assert [each.curve for each in asked] == [(0, 1, 4, 1)]
    settings = panel.bar.settings()
    assert settings is not None
    assert settings.curve is None, "only for one check"
    sampled = replace(SAMPLED, row=4, column=1)
    report = explained(TRANSPOSED, function_curves=(SAMPLED, sampled), id=2)
    states[-1].reports_changed.emit((first, report))
    assert "weight[1, 1]" in panel.findings.function.accessibleName()
    assert not button.isVisible()
