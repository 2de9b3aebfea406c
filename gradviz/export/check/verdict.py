"""What all documents of a check say alike: verdict, settings, diagnoses, and names of elements."""

from __future__ import annotations

from gradviz.catalogue.diagnoses import severity_of
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import MEASURED, number_text, without_noise
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem, JacobianBlock, JacobianReport, WorstElement

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


_DIGITS = 6
_MOST_DIGITS = 17


def block_place(block: JacobianBlock) -> str:
    """Name the pair of a block, like ``output 0, input 1 "weight"``.

    In a second-order check outputs have names too: ``output 1 "grad_weight", input 0 "x"``.
    """
    output = say("name.output", number=block.output)
    # Outputs without a name are called by their number.
    if block.output_name not in (say("name.only_output"), output):
        output = say("pair.output", number=block.output, name=block.output_name)
    if block.part:
        output = say(f"pair.{block.part}", output=output)
    return f"{output}, {say('pair.input', number=block.input, name=block.input_name)}"


def block_sentence(block: JacobianBlock) -> str:
    """Result of comparing a block's matrices: ``mismatch, 6 of 36 wrong; worst ...``."""
    if block.wrong == 0:
        return say_count("pair.match", block.count)
    wrong, count = format_count(block.wrong), format_count(block.count)
    if block.worst is None:
        return say("pair.mismatch", wrong=wrong, count=count)
    element = worst_words(block, block.worst)
    return say("pair.mismatch.worst", wrong=wrong, count=count, element=element)


def worst_words(block: JacobianBlock, worst: WorstElement) -> str:
    """Text like ``weight[1,0] / output[0,0]: analytical 2, numerical 1``."""
    analytical, numerical = two_numbers(worst.analytical, worst.numerical)
    return say(
        "pair.element",
        row=indexed_name(block.input_name, worst.input_index),
        column=indexed_name(block.output_name, worst.output_index),
        analytical=analytical,
        numerical=numerical,
    )


def indexed_name(name: str, index: tuple[int, ...]) -> str:
    """Name an element of a tensor, like ``weight[1,0]``; without an index for a scalar."""
    return f"{name}[{','.join(map(str, index))}]" if index else name


def two_numbers(analytical: complex, numerical: complex) -> tuple[str, str]:
    """Format two numbers with six digits, or as many as are needed to tell them apart."""
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        measured = without_noise(numerical, max(digits, MEASURED))
        words = number_text(_real(analytical), digits), number_text(measured, digits)
        if words[0] != words[1]:
            break
    return words


def _real(value: complex) -> complex | float:
    """The value, as a real number if it is one: a report keeps all its numbers as complex ones."""
    return value if value.imag else value.real
