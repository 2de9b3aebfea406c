"""Sentences and labels of a check: verdict, rule, pairs, and elements."""

from __future__ import annotations

import math

from gradviz.catalogue.diagnoses import DIAGNOSES, severity_of
from gradviz.catalogue.diagnoses.declaration import DiagnosisSeverity
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.document.ops import duration_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.cells.pair_matrices import PairMatrices
from gradviz.drawing.cells.plane import subscript
from gradviz.export.check.verdict import option_words, outcome_sentence
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.text.phrases import shape_text
from gradviz.viewer.translation import plural, translate

SIGNS: dict[DiagnosisSeverity, tuple[PaletteRole, PaletteRole, str]] = {
    "fault": ("error", "error_fill", "error"),
    "doubt": ("text_muted", "raised", "info"),
    "check": ("warning", "warning_fill", "warning"),
    "calm": ("ok", "ok_fill", "check"),
}
"""Foreground, background and icon of each severity."""


def title_of(code: str) -> str:
    """Title of a diagnosis; the code itself if it comes from a newer gradviz."""
    key = f"{code}.title"
    return say(key) if code in DIAGNOSES else code


def confidence_text(diagnosis: Diagnosis) -> str:
    """Confidence in one word; empty if nothing is claimed."""
    if severity_of(diagnosis.code) in ("calm", "doubt"):
        return ""
    is_certain = diagnosis.confidence == "certain"
    return translate("Diagnoses", "certain") if is_certain else translate("Diagnoses", "likely")


def confidence_tip(diagnosis: Diagnosis) -> str:
    """Sentence that explains the confidence."""
    if diagnosis.confidence == "certain":
        return translate("Diagnoses", "The numbers allow no other explanation.")
    return translate("Diagnoses", "Another explanation of the numbers is possible but unlikely.")


def is_wrong_despite_passing(report: JacobianReport) -> bool:
    """Whether gradcheck passes although a diagnosis shows that the function is wrong."""
    return report.verdict == "match" and not report.passed


def is_doubted(report: JacobianReport) -> bool:
    """Whether gradcheck fails, but every diagnosis blames the check rather than the function."""
    return (
        report.verdict in ("mismatch", "inconclusive")
        and bool(report.diagnoses)
        and all(each.is_harmless for each in report.diagnoses)
    )


def faults(report: JacobianReport) -> str:
    """Titles of all diagnoses that blame the function, without repeats."""
    titles = [title_of(each.code) for each in report.diagnoses if not each.is_harmless]
    return ", ".join(dict.fromkeys(titles))


def doubt_text(report: JacobianReport) -> str:
    """Text if gradcheck fails, but the function may be correct."""
    titles = [title_of(each.code) for each in report.diagnoses]
    text = translate(
        "CheckSettings", "This points to a problem with the check, not with the function: {titles}."
    )
    return text.format(titles=", ".join(dict.fromkeys(titles)))


_MOST_OF_NAME = 14


def headline(report: JacobianReport) -> str:
    """The outcome as in exports; for wrong elements, in which pairs they are."""
    wrong = [block for block in report.blocks if block.wrong]
    if report.verdict != "mismatch" or not wrong:
        return outcome_sentence(report)
    text = translate("Jacobians", "{pair}: {line}")
    pairs = (text.format(pair=pair_name(each), line=block_line(each)) for each in wrong)
    return say("outcome.failed", verdict="; ".join(pairs))


def spoken_headline(report: JacobianReport) -> str:
    """Outcome and diagnosis, announced to screen readers when a check ends."""
    if not faults(report):
        return headline(report)
    text = translate("Jacobians", "{headline} Diagnosis: {faults}.")
    return text.format(headline=headline(report), faults=faults(report))


def no_check_text(order: int, name: str) -> str:
    """Hint on what a check would do, shown before the first one.

    Args:
        order: 1 for the function, 2 for its backward.
        name: Function that is checked, if it is not simply the scene itself; else empty.
    """
    if order == 2:
        text = translate(
            "Jacobians",
            "The backward has not been checked yet.\nCheck compares two sets of second "
            "derivatives: those from differentiating backward, and those from small "
            "changes of each input and of grad_output.",
        )
    else:
        text = translate(
            "Jacobians",
            "Nothing has been checked yet.\nCheck compares the gradient that backward "
            "returns with the effect of small changes of each input.",
        )
    if not name:
        return text
    return translate("Jacobians", "{text}\nIn this scene, Check tests {name}.").format(
        text=text, name=name
    )


def nothing_to_check() -> str:
    """Hint for a scene that has no Jacobians."""
    return translate(
        "Jacobians",
        "This scene has no Jacobians to check.\nIt shows a whole program, not a single "
        "function whose gradient could be compared with small changes of its inputs.",
    )


def running_text() -> str:
    """Text in place of the maps until a check has computed a part of them."""
    return translate("Jacobians", "The check is running; nothing has been compared yet.")


def diagnosing_text() -> str:
    """Text once a check has computed all maps."""
    return translate("Jacobians", "Both Jacobians are computed. The diagnosis is running.")


def computing_text(report: JacobianReport) -> str:
    """Text above the maps while a check is running."""
    text = translate(
        "Jacobians",
        "Computing: nothing has been compared yet, and hatched areas are still missing.",
    )
    finished = len(report.blocks)
    if not finished:
        return text
    return plural.tr("{text} %Ln pair(s) are finished.", "", finished).format(text=text)


def unfinished_text() -> str:
    """Text above the maps that an unfinished check has left."""
    return translate(
        "Jacobians", "Not finished: hatched areas were not computed, and nothing was compared."
    )


def second_order_caveat(report: JacobianReport, first: JacobianReport | None) -> str:
    """Explain what second order cannot detect; empty for first order or without pairs.

    Args:
        report: The report.
        first: The latest first-order report.
    """
    if report.order != 2 or not report.blocks:
        return ""
    if first is not None and first.verdict == "match":
        return translate(
            "Jacobians", "gradgradcheck compares backward only with itself. gradcheck passes here."
        )
    if first is not None and first.verdict == "mismatch":
        return translate(
            "Jacobians",
            "gradgradcheck compares backward only with itself, so a wrong but consistent "
            "backward passes. gradcheck fails here.",
        )
    return translate(
        "Jacobians",
        "gradgradcheck compares backward only with itself, so a wrong but consistent "
        "backward passes. Run gradcheck too.",
    )


def is_insensitive(report: JacobianReport) -> bool:
    """Whether a check passed without testing what second order is about."""
    codes = {problem.code for problem in report.problems}
    undetected = {"gradient_without_history", "once_differentiable"}
    return report.verdict == "match" and bool(codes & undetected)


def rule(report: JacobianReport) -> str:
    """The rule of gradcheck with the settings of this check."""
    text = translate(
        "Jacobians",
        "Rule: |analytical − numerical| ≤ {atol} + {rtol} · |numerical|, with eps {eps}",
    )
    atol, rtol, eps = (number_text(each, 6) for each in (report.atol, report.rtol, report.eps))
    return text.format(atol=atol, rtol=rtol, eps=eps)


def check_conditions_text(report: JacobianReport) -> str:
    """Subject, dtype, device, options, and cost of a check."""
    text = plural.tr("%Ln evaluation(s) in {time}", "", report.evaluations)
    took = text.format(time=duration_text(report.duration_ns))
    options = [*option_words(report)]
    kinds = {trial.kind for trial in report.trials}
    if "incoming" in kinds:
        options.append(translate("CheckSettings", "other incoming gradients tried"))
    if "variation" in kinds:
        options.append(translate("CheckSettings", "input variations tried"))
    # A check that could not start has no dtype and no device.
    parts = (report.subject, report.dtype, report.device, *options, took)
    return " · ".join(part for part in parts if part)


def pair_name(block: JacobianBlock) -> str:
    """Name of a pair, as a derivative."""
    text = translate("Jacobians", "∂ {output} / ∂ {input}")
    if block.part:
        text = translate("Jacobians", "∂ {output} ({part} part) / ∂ {input}")
    return text.format(output=block.output_name, input=block.input_name, part=block.part)


def block_line(block: JacobianBlock) -> str:
    """Number of elements of a block outside the tolerance."""
    if block.count == 0:
        return translate("Jacobians", "no elements")
    if block.wrong:
        text = translate("Jacobians", "{wrong} of {count} outside the tolerance")
        return text.format(wrong=block.wrong, count=block.count)
    return translate("Jacobians", "all {count} within the tolerance").format(count=block.count)


def block_short(block: JacobianBlock) -> str:
    """Short version of `block_line`, for a list."""
    if block.count == 0:
        return translate("Jacobians", "no elements")
    text = translate("Jacobians", "all {count} agree")
    if block.wrong:
        text = translate("Jacobians", "{wrong} of {count} wrong")
    return text.format(wrong=block.wrong, count=block.count)


def rows_title(block: JacobianBlock) -> str:
    """Title of the row axis."""
    return say("page.rows", name=_short(block.input_name), shape=shape_text(block.input_shape))


def columns_title(block: JacobianBlock) -> str:
    """Title of the column axis."""
    shape = shape_text(block.output_shape)
    return say("page.columns", name=_short(block.output_name), shape=shape)


def element_name(matrices: PairMatrices, row: int, column: int) -> str:
    """Name of an element, as a derivative."""
    block = matrices.block
    return translate("Jacobians", "∂ {output} / ∂ {input}").format(
        output=subscript(block.output_name, matrices.output_index(column)),
        input=subscript(block.input_name, matrices.input_index(row)),
    )


def element_judgement(matrices: PairMatrices, row: int, column: int) -> str:
    """Error of an element relative to the tolerance, and whether it is the worst, in words."""
    excess = matrices.excess(row, column)
    if excess <= 1:
        return translate("Jacobians", "within the tolerance")
    text = translate("Jacobians", "outside the tolerance")
    if math.isfinite(excess):
        text = translate("Jacobians", "{times} times the tolerance")
    if (row, column) == matrices.worst:
        text = translate("Jacobians", "worst element, {judgement}").format(judgement=text)
    return text.format(times=number_text(excess, 3))


def _short(name: str) -> str:
    """Shorten a name in the middle to fit beside a small map."""
    if len(name) <= _MOST_OF_NAME:
        return name
    # Both ends are kept, since the paths of two parameters can differ in either.
    half = _MOST_OF_NAME // 2
    return f"{name[:half]}…{name[-half:]}"
