"""Verdict, settings and diagnoses of a check as lines, the same in every document."""

from __future__ import annotations

from gradviz.catalogue.diagnoses import severity_of
from gradviz.catalogue.messages import say, say_count
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.export.check.element_names import block_place
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem, JacobianReport

_OTHER_REASONS = (
    "numerical_not_zero",
    "fast_mode",
    "forward_mode",
    "batched_forward",
    "batched_gradient",
)
"""Deciding problems with a verdict of their own if no element is wrong."""


def verdict_words(report: JacobianReport) -> str:
    """The verdict as a clause, which also says if only gradcheck would pass."""
    if any(each.code == "once_differentiable" and each.decides for each in report.problems):
        return say("verdict.once_differentiable")
    backward_is_wrong = any(block.wrong for block in report.blocks)
    forward_mode_is_wrong = any(block.forward_wrong for block in report.blocks)
    is_failure = report.verdict in ("match", "mismatch") and not report.passed
    if is_failure and forward_mode_is_wrong and not backward_is_wrong and report.order == 1:
        return say("verdict.only_forward_mode")
    key: str = report.verdict
    if report.verdict == "mismatch" and not backward_is_wrong:
        deciding = next((each.code for each in report.problems if each.decides), "")
        key = deciding if deciding in _OTHER_REASONS else "broken_rule"
        compared = report.forward_mode and report.blocks and not report.fast
        if key == "forward_mode" and compared and not forward_mode_is_wrong:
            key = "tangent"  # All derivatives agree; only those without a tangent differ.
    elif report.verdict == "match" and not report.passed:
        key = "missed"
    elif report.nothing_compared is not None:
        key = f"nothing_compared.{report.nothing_compared.code}"
    name = f"verdict.{key}.second" if report.order == 2 else f"verdict.{key}"
    return say(name, precision=report.low_precision or say("verdict.low_precision"))


def outcome_sentence(report: JacobianReport) -> str:
    """Whether the check passed or failed or has no result, and the verdict."""
    outcome = "passed" if report.passed else "failed"
    if not report.has_result:
        outcome = "none"
    return say(f"outcome.{outcome}", verdict=verdict_words(report))


def outcome_role(report: JacobianReport) -> PaletteRole:
    """Color role of `outcome_sentence`."""
    if not report.has_result:
        return "warning"
    return "ok" if report.passed else "error"


def settings_words(report: JacobianReport, device: str) -> str:
    """Dtype, device, eps and tolerances, and what else was compared.

    Args:
        report: The report of the check.
        device: Intended device of the inputs, used if nothing was computed.
    """
    place = report.device or device
    device_key = "settings.dtype" if report.dtype else "settings.device"
    return ", ".join(
        (
            *([say(device_key, dtype=report.dtype, device=place)] if place else []),
            say(
                "settings.tolerances",
                eps=report.eps,
                atol=report.atol,
                rtol=report.rtol,
                nondet_tol=report.nondet_tol,
            ),
            say_count("settings.evaluations", report.evaluations),
            *option_words(report),
        )
    )


def option_words(report: JacobianReport) -> tuple[str, ...]:
    """A few words for each option that changes what a check compares."""
    options = (
        (report.cast_from, say("option.cast", dtype=report.cast_from)),
        (report.nudge, say("option.nudge", least=report.nudge, most=2 * report.nudge)),
        (report.forward_mode, say("option.forward_mode")),
        (report.batched, say("option.batched")),
        (report.fast, say("option.fast")),
        (report.reference, say("option.reference", reference=report.reference)),
    )
    return tuple(text for is_on, text in options if is_on)


def diagnosis_place(report: JacobianReport, diagnosis: Diagnosis) -> str:
    """Pairs that a diagnosis is about, as in `block_place`; empty for the function."""
    block = report.block_at(diagnosis.place)
    if block is not None:
        return block_place(block)
    if diagnosis.output is None and diagnosis.input is None:
        return ""
    for each in report.blocks:
        if diagnosis.input is None and each.output == diagnosis.output:
            return each.output_name
        if diagnosis.output is None and each.input == diagnosis.input:
            return each.input_name
    if diagnosis.input is None:
        return say("name.output", number=diagnosis.output)
    return say("name.input", number=diagnosis.input)


def diagnosis_line(report: JacobianReport, diagnosis: Diagnosis) -> str:
    """Format a diagnosis with its code, confidence and place.

    For example ``diagnosis [transposed, certain] output 0, input 1 "weight": The gradient ...``.
    """
    place = diagnosis_place(report, diagnosis)
    claims = severity_of(diagnosis.code) not in ("calm", "doubt")
    code = f"{diagnosis.code}, {diagnosis.confidence}" if claims else diagnosis.code
    key = "report.diagnosis.at" if place else "report.diagnosis"
    return say(key, code=code, place=place, message=diagnosis.message)


def diagnosis_sentence(report: JacobianReport, diagnosis: Diagnosis) -> str:
    """`diagnosis_line` with a capital letter, for documents of sentences."""
    return _capitalized(diagnosis_line(report, diagnosis))


def problem_line(problem: CheckProblem) -> str:
    """Format a problem, or a hint if it does not decide the verdict."""
    return say("report.problem" if problem.decides else "report.hint", message=problem.message)


def problem_sentence(problem: CheckProblem) -> str:
    """`problem_line` with a capital letter, for documents of sentences."""
    return _capitalized(problem_line(problem))


def _capitalized(line: str) -> str:
    return line[:1].upper() + line[1:]


def next_check_sentences(report: JacobianReport, *, with_first: bool = False) -> tuple[str, ...]:
    """Suggested next checks, each a sentence with its option.

    Args:
        report: The report of the check.
        with_first: Whether the first order is reported too, so that it is not suggested.
    """
    found = []
    codes = {each.code for each in report.diagnoses} | {each.code for each in report.problems}
    can_cast = not report.cast_from and "cast_refused" not in codes
    coarse = "low_precision" in codes or ("float32_noise" in codes and report.low_precision)
    if can_cast and coarse:
        found.append(say("suggest.cast"))
    if "eps_sensitive" in codes:
        found.append(say("suggest.eps"))
    if report.fast and report.passed:
        found.append(say("suggest.elements"))
    if report.order == 2 and report.blocks and not with_first:
        found.append(say("suggest.first_order"))
    return tuple(found)
