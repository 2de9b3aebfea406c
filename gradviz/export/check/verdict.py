"""Verdict, settings and diagnoses of a check as lines, the same in every document."""

from __future__ import annotations

from gradviz.catalogue.diagnoses import severity_of
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.export.check.element_names import block_place
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport

_VERDICTS = {
    "match": "the analytical and the numerical Jacobians match",
    "mismatch": "the analytical and the numerical Jacobians do not match",
    "error": "it could not be checked",
    "incomplete": "the check was cancelled",
}
_VERDICTS_TWICE = {
    "match": "the analytical and the numerical Jacobians of its backward match",
    "mismatch": "the analytical and the numerical Jacobians of its backward do not match",
    "error": "its backward could not be checked",
    "incomplete": "the check of its backward was cancelled",
}
_FAULTY = "the Jacobians match, but backward breaks a rule"
_FAULTY_TWICE = "the Jacobians of its backward match, but its backward breaks a rule"
_OTHERWISE = {
    "numerical_not_zero": "an output depends on an input, but no output requires grad",
    "fast_mode": "products of the Jacobians with random vectors do not match",
    "forward_mode": "the Jacobians match, but the forward-mode Jacobians do not",
    "batched_gradient": "the Jacobians match, but vmap over backward gives a different result",
}
_OTHERWISE_TWICE = {
    "numerical_not_zero": "its gradients depend on their inputs, but none of them requires grad",
    "fast_mode": "products of the Jacobians of its backward with random vectors do not match",
    "forward_mode": "the Jacobians of its backward match, but the forward-mode Jacobians do not",
    "batched_gradient": "the Jacobians of its backward match, but the Jacobians under vmap do not",
}
"""Verdicts if no element is wrong, by the deciding problem; else a rule is broken."""
_UNSEEN = "the Jacobians match, but gradcheck misses an error"
_UNSEEN_TWICE = "the Jacobians of its backward match, but gradgradcheck misses an error"
_FORWARD = "backward matches the numerical Jacobians, but forward mode (jvp) does not"
_ONCE = "its backward cannot be differentiated"


def verdict_words(report: JacobianReport) -> str:
    """The verdict as a clause, which also says if only gradcheck would pass."""
    twice = report.order == 2
    if any(each.code == "once_differentiable" and each.decides for each in report.problems):
        return _ONCE
    backward_is_wrong = any(block.wrong for block in report.blocks)
    forward_mode_is_wrong = any(block.forward_wrong for block in report.blocks)
    is_failure = report.verdict in ("match", "mismatch") and not report.passed
    if is_failure and forward_mode_is_wrong and not backward_is_wrong and not twice:
        return _FORWARD
    if report.verdict == "mismatch" and not backward_is_wrong:
        deciding = next((each.code for each in report.problems if each.decides), "")
        others = _OTHERWISE_TWICE if twice else _OTHERWISE
        return others.get(deciding, _FAULTY_TWICE if twice else _FAULTY)
    if report.verdict == "match" and not report.passed:
        return _UNSEEN_TWICE if twice else _UNSEEN
    return (_VERDICTS_TWICE if twice else _VERDICTS)[report.verdict]


def outcome_word(report: JacobianReport) -> str:
    """Start of the sentence that `verdict_words` completes: passed, failed or no result."""
    if report.verdict in ("error", "incomplete"):
        return "No result:"
    return "Passed:" if report.passed else "Failed:"


def outcome_role(report: JacobianReport) -> PaletteRole:
    """Color role of `outcome_word`."""
    if report.verdict in ("error", "incomplete"):
        return "warning"
    return "ok" if report.passed else "error"


def settings_words(report: JacobianReport, device: str) -> str:
    """Dtype, device, eps and tolerances, and what else was compared.

    Args:
        report: The report of the check.
        device: Intended device of the inputs, used if nothing was computed.
    """
    place, count = report.device or device, report.evaluations
    parts = [
        f"{report.dtype} on {place}" if report.dtype else f"on {place}",
        f"eps {report.eps:g}",
        f"atol {report.atol:g}",
        f"rtol {report.rtol:g}",
        f"nondet_tol {report.nondet_tol:g}",
        f"{count} {'evaluation' if count == 1 else 'evaluations'}",
    ]
    if report.cast_from:
        parts.append(f"cast from {report.cast_from}")
    if report.nudge:
        parts.append(f"inputs moved by {report.nudge:g}")
    if report.forward_mode:
        parts.append("with forward mode")
    if report.batched:
        parts.append("with batched gradients")
    if report.fast:
        parts.append("fast mode: products with random vectors first")
    if report.reference:
        parts.append(f"compared with {report.reference}")
    return ", ".join(parts)


def diagnosis_place(report: JacobianReport, diagnosis: Diagnosis) -> str:
    """Pairs that a diagnosis is about, as in `block_place`; empty for the function."""
    block = block_of(report, diagnosis)
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
        return f"output {diagnosis.output}"
    return f"input {diagnosis.input}"


def block_of(report: JacobianReport, diagnosis: Diagnosis) -> JacobianBlock | None:
    """The pair that a diagnosis is about; None if it is about several or a missing one."""
    place = (diagnosis.output, diagnosis.input, diagnosis.part)
    for block in report.blocks:
        if (block.output, block.input, block.part) == place:
            return block
    return None


def diagnosis_line(report: JacobianReport, diagnosis: Diagnosis) -> str:
    """Format a diagnosis with its code, confidence and place.

    For example ``diagnosis [transposed, certain] output 0, input 1 "weight": The gradient ...``.
    """
    place = diagnosis_place(report, diagnosis)
    claims = severity_of(diagnosis.code) not in ("calm", "doubt")
    sure = f", {diagnosis.confidence}" if claims else ""
    head = f"diagnosis [{diagnosis.code}{sure}]"
    return f"{head} {place}: {diagnosis.message}" if place else f"{head}: {diagnosis.message}"


def next_check_sentences(report: JacobianReport, *, with_first: bool = False) -> tuple[str, ...]:
    """Suggested next checks, each a sentence with its option.

    Args:
        report: The report of the check.
        with_first: Whether the first order is reported too, so that it is not suggested.
    """
    found = []
    codes = {each.code for each in report.diagnoses} | {each.code for each in report.problems}
    if not report.cast_from and codes & {"low_precision", "float32_noise"}:
        found.append("Check in float64 with --cast.")
    if "eps_sensitive" in codes:
        found.append("Try another step size with --eps.")
    if report.fast and report.passed:
        found.append("Fast mode compares no single elements; run without --fast to compare all.")
    if report.order == 2 and report.blocks and not with_first:
        found.append(
            "The second-order check compares backward with itself, so a wrong but "
            "consistent backward passes. Check the first order too (--order 1)."
        )
    return tuple(found)
