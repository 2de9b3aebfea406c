"""The first lines of a printed check, and the next steps it suggests."""

from __future__ import annotations

from msgspec.structs import replace

from gradviz.export.check.verdict import next_check_sentences, settings_words, verdict_words
from gradviz.model.jacobian_report import CheckProblem
from tests.export.check.test_json_and_text import BLOCK, REPORT


def test_backward_is_not_blamed_for_forward_mode() -> None:
    block = replace(BLOCK, wrong=0, worst=None, forward=1, forward_wrong=3)
    text = verdict_words(replace(REPORT, blocks=(block,), forward_mode=True))
    assert text == "backward matches the numerical Jacobians, but forward mode (jvp) does not"


def test_one_evaluation_of_nothing_is_worded() -> None:
    text = settings_words(replace(REPORT, dtype="", evaluations=1), "cpu")
    assert text == "on cpu, eps 1e-06, atol 1e-05, rtol 0.001, nondet_tol 0, 1 evaluation"


def test_who_reads_both_orders_is_not_sent_to_the_first() -> None:
    twice = replace(REPORT, order=2)
    assert any("--order 1" in each for each in next_check_sentences(twice))
    assert next_check_sentences(twice, with_first=True) == ()


def test_a_pass_without_any_jacobian_does_not_claim_that_they_match() -> None:
    nothing = CheckProblem(code="not_differentiable", message="", decides=False)
    report = replace(REPORT, verdict="match", blocks=(), diagnoses=(), problems=(nothing,))
    text = "no output requires a gradient, so there are no Jacobians to compare"
    assert verdict_words(report) == text


def test_without_dtype_and_device_the_settings_begin_with_eps() -> None:
    assert settings_words(replace(REPORT, dtype="", device=""), "").startswith("eps 1e-06, atol")
