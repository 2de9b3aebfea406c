"""The ideas of a check in the order in which they are explained, with their texts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.cells.plane import subscript
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.item import gradient_name
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.step import NodeStep
from gradviz.story.click import Click
from gradviz.story.run import StoryRun
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.check_text import confidence_text, title_of
from gradviz.viewer.jacobians.pair_matrices import tensor_of
from gradviz.viewer.translation import translate

IdeaKind = Literal[
    "numerical",
    "analytical",
    "difference",
    "worst",
    "eps",
    "diagnosis",
    "repair",
    "pair",
    "verdict",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckIdea:
    """One idea.

    Attributes:
        kind: What it is about: ``eps`` whether another step helps; ``pair`` sums up another wrong
            pair.
        block: The pair whose matrices are shown; None if nothing was compared.
        diagnosis: The diagnosis that it is about, or None.
    """

    kind: IdeaKind
    block: JacobianBlock | None
    diagnosis: Diagnosis | None = None


def ideas_of(report: JacobianReport) -> tuple[CheckIdea, ...]:
    """Return the ideas of a check: those of its worst pair, then one for each other wrong pair.

    Only a verdict is left if nothing was compared.
    """
    wrong = [each for each in report.blocks if each.count and is_wrong(report, each)]
    wrong.sort(key=_excess, reverse=True)
    right = (each for each in report.blocks if each.count)
    block = wrong[0] if wrong else next(right, None)
    if block is None:
        return (CheckIdea(kind="verdict", block=None),)
    return tuple(_ideas(report, block, wrong[1:]))


def is_wrong(report: JacobianReport, block: JacobianBlock) -> bool:
    """Whether elements of a pair differ, or a diagnosis says that gradcheck misses its error."""
    return block.wrong > 0 or any(not each.is_harmless for each in report.diagnoses_of(block))


def diagnosis_of(report: JacobianReport, block: JacobianBlock | None) -> Diagnosis | None:
    """Return the first diagnosis of a pair, else one of the whole function; None without any."""
    own = () if block is None else report.diagnoses_of(block)
    general = (each for each in report.diagnoses if each.output is None and each.input is None)
    return next((each for each in (*own, *general) if each.code != "none"), None)


def _ideas(
    report: JacobianReport, block: JacobianBlock, others: list[JacobianBlock]
) -> Iterator[CheckIdea]:
    yield CheckIdea(kind="numerical", block=block)
    yield CheckIdea(kind="analytical", block=block)
    yield CheckIdea(kind="difference", block=block)
    if block.wrong and block.worst is not None:
        yield CheckIdea(kind="worst", block=block)
        if _eps(report, block):
            yield CheckIdea(kind="eps", block=block)
    diagnosis = diagnosis_of(report, block)
    if diagnosis is not None:
        yield CheckIdea(kind="diagnosis", block=block, diagnosis=diagnosis)
    repaired = next((each for each in report.diagnoses_of(block) if each.repair is not None), None)
    if repaired is not None and tensor_of(report, block, "repaired") is not None:
        yield CheckIdea(kind="repair", block=block, diagnosis=repaired)
    for each in others:
        yield CheckIdea(kind="pair", block=each, diagnosis=diagnosis_of(report, each))
    if not is_wrong(report, block):
        yield CheckIdea(kind="verdict", block=block)


def _excess(block: JacobianBlock) -> float:
    return 0.0 if block.worst is None else block.worst.excess


def check_clicks(report: JacobianReport, run: StoryRun) -> tuple[Click, ...]:
    """What the stage shows of a check of a run, click by click."""
    clicks = []
    for idea in ideas_of(report):
        click = Click(
            topic=title(report, idea),
            headline=headline(report, idea),
            text=_picture(report, idea),
            note="\n".join(filter(None, _sentences(report, idea))),
        )
        clicks.append(click)
        if idea.kind != "diagnosis":
            continue
        if idea.diagnosis is not None and idea.diagnosis.evidence:
            clicks.append(replace(click, note="\n".join(idea.diagnosis.evidence)))
        if code := _code(report, idea.block, run):
            clicks.append(replace(click, text=code, note=""))
    return tuple(clicks)


def start_click(name: str, note: str) -> Click:
    """What the stage shows before a check: what it will do.

    Args:
        name: Name of what is checked.
        note: What is said below the picture.
    """
    text = translate("Walkthrough", "{check} · {pair}")
    topic = text.format(check=check_name(1), pair=name)
    return Click(topic=topic, headline=say("story.check_question"), text=f"check {name}", note=note)


def _picture(report: JacobianReport, idea: CheckIdea) -> str:
    """The matrices of an idea; see `gradviz.story.picture`."""
    block = idea.block
    if block is None:
        return ""
    pair = f"{report.blocks.index(block)}"
    numerical, analytical = f"{{check numerical #{pair}}}", f"{{check analytical #{pair}}}"
    difference = f"{{check difference #{pair}}}"
    if idea.kind in ("worst", "verdict") and report.function_curve_of(block) is not None:
        return f"curve #{pair}"
    if idea.kind == "eps":
        return f"errors #{pair}"
    pictures: dict[IdeaKind, str] = {
        "numerical": numerical,
        "analytical": f"{numerical} {analytical}",
        "diagnosis": difference,
        "pair": difference,
        "verdict": difference,
    }
    return pictures.get(idea.kind, f"{analytical} − {numerical} = {difference}")


def _code(report: JacobianReport, block: JacobianBlock | None, run: StoryRun) -> str:
    """The line that computes the gradient of a pair's input; empty unless it is known."""
    steps = [each for each in run.index.trace.steps if isinstance(each, NodeStep) and each.returned]
    if block is None or report.order == 2 or len(steps) != 1:
        # The error may be in a backward whose gradient has another name.
        return ""
    for at, item in enumerate(steps[0].returned):
        value = f"step {steps[0].number} returned {at}"
        if item.name == block.input_name and run.code_of(value) is not None:
            text = translate("Walkthrough", "This line computes {gradient}")
            return f"code of {value}: {text.format(gradient=gradient_name(item.name))}"
    return ""


def title(report: JacobianReport, idea: CheckIdea) -> str:
    """Name of the check and of the pair."""
    check = check_name(report.order)
    if idea.block is None or (idea.kind == "verdict" and len(report.blocks) > 1):
        return check
    text = translate("Walkthrough", "{check} · {pair}")
    return text.format(check=check, pair=check_text.pair_name(idea.block))


def check_name(order: int) -> str:
    """Name of a check of first or second order."""
    return "gradgradcheck" if order == 2 else "gradcheck"


def headline(report: JacobianReport, idea: CheckIdea) -> str:
    """The idea in one sentence."""
    block, diagnosis = idea.block, idea.diagnosis
    match idea.kind:
        case "numerical" if block is not None:
            return _numerical(report, block)
        case "analytical" if block is not None:
            return _analytical(report, block)
        case "difference" if block is not None:
            return _difference(block)
        case "worst" if block is not None:
            return _worst(block, report.order)
        case "eps" if block is not None:
            return _eps(report, block)
        case "diagnosis" if diagnosis is not None:
            text = translate("Walkthrough", "Diagnosis: {title}")
            sure = confidence_text(diagnosis)
            if sure:
                text = translate("Walkthrough", "Diagnosis: {title} ({confidence})")
            return text.format(title=title_of(diagnosis.code), confidence=sure)
        case "repair" if block is not None and diagnosis is not None and diagnosis.repair:
            text = translate(
                "Walkthrough", "Repair: {message} Then {wrong} of {count} elements are wrong."
            )
            repair = diagnosis.repair
            return text.format(message=repair.message, wrong=repair.wrong, count=block.count)
        case "pair" if block is not None:
            return _pair(block, diagnosis)
    return check_text.spoken_headline(report)


def _numerical(report: JacobianReport, block: JacobianBlock) -> str:
    if report.order == 2:
        text = translate(
            "Walkthrough",
            "What finite differences measure: change one element of {input} by {eps}, and see how "
            "{output}, which backward returns, changes.",
        )
    else:
        text = translate(
            "Walkthrough",
            "What finite differences measure: change one element of {input} by {eps}, and see how "
            "{output} changes.",
        )
    eps = number_text(report.eps)
    return text.format(input=block.input_name, output=block.output_name, eps=eps)


def _analytical(report: JacobianReport, block: JacobianBlock) -> str:
    if report.order == 2:
        text = translate(
            "Walkthrough",
            "What differentiating backward gives: the gradient of {input}, for one element of "
            "{output} at a time.",
        )
    else:
        text = translate(
            "Walkthrough",
            "What backward returns: the gradient of {input}, for one element of {output} at a "
            "time.",
        )
    return text.format(input=block.input_name, output=block.output_name)


def _difference(block: JacobianBlock) -> str:
    if block.wrong:
        text = translate("Walkthrough", "Where they differ: {wrong} of {count} elements.")
        if block.count == 1:
            text = translate("Walkthrough", "They differ in their only element.")
        return text.format(wrong=block.wrong, count=block.count)
    text = translate(
        "Walkthrough", "The difference is zero within the tolerance, in all {count} elements."
    )
    if block.count == 1:
        text = translate("Walkthrough", "The difference is zero within the tolerance.")
    return text.format(count=block.count)


def _worst(block: JacobianBlock, order: int) -> str:
    worst = block.worst
    assert worst is not None
    text = translate(
        "Walkthrough",
        "The worst element: {output} with respect to {input}. Backward returns {analytical} "
        "instead of {numerical}.",
    )
    if order == 2:
        text = translate(
            "Walkthrough",
            "The worst element: {output} with respect to {input}. Double backward returns "
            "{analytical} instead of {numerical}.",
        )
    numerical, analytical = check_text.even_values(worst.numerical, worst.analytical)
    return text.format(
        output=subscript(block.output_name, worst.output_index),
        input=subscript(block.input_name, worst.input_index),
        numerical=numerical,
        analytical=analytical,
    )


def _eps(report: JacobianReport, block: JacobianBlock) -> str:
    """Whether a step that was tried brings the worst element within the tolerance."""
    curve = report.error_curve_of(block)
    allowed = None if curve is None else report.allowed_at(block, curve)
    if curve is None or allowed is None or not any(map(math.isfinite, curve.errors)):
        return ""
    if curve.best is None:
        return translate(
            "Walkthrough", "Is eps to blame? No: each eps tried gives nearly the same error."
        )
    eps, error = curve.best
    if error > allowed:
        return translate(
            "Walkthrough", "Is eps to blame? No eps tried brings the error within the tolerance."
        )
    text = translate(
        "Walkthrough", "Is eps to blame? With eps {eps}, this element is within the tolerance."
    )
    return text.format(eps=number_text(eps, 3))


def _pair(block: JacobianBlock, diagnosis: Diagnosis | None) -> str:
    text = translate("Walkthrough", "Also wrong: {pair}, {wrong} of {count} elements.")
    if not block.wrong:
        text = translate("Walkthrough", "Also wrong, although all elements agree: {pair}.")
    pair = check_text.pair_name(block)
    found = text.format(pair=pair, wrong=block.wrong, count=block.count)
    if diagnosis is None:
        return found
    text = translate("Walkthrough", "{sentence} Diagnosis: {title}")
    return text.format(sentence=found, title=title_of(diagnosis.code))


def _sentences(report: JacobianReport, idea: CheckIdea) -> Iterator[str]:
    """Explain an idea, the most important sentence first."""
    diagnosis = idea.diagnosis
    match idea.kind:
        case "difference" if idea.block is not None:
            yield _rule(report)
            yield _other_pairs(report, idea.block)
        case "diagnosis" if diagnosis is not None:
            yield check_text.doubt_text(report) if check_text.is_doubted(report) else ""
            yield diagnosis.message
        case "repair" if diagnosis is not None:
            yield diagnosis.message
        case "pair" if diagnosis is not None:
            yield diagnosis.message
        case "verdict":
            yield from _verdict(report)


def _rule(report: JacobianReport) -> str:
    text = translate(
        "Walkthrough",
        "An element is wrong if |analytical − numerical| > {atol} + {rtol} · |numerical|.",
    )
    return text.format(atol=number_text(report.atol), rtol=number_text(report.rtol))


def _other_pairs(report: JacobianReport, block: JacobianBlock) -> str:
    """Name the pairs that agree, besides the one that is shown."""
    right = [
        each
        for each in report.blocks
        if each.count and each != block and not is_wrong(report, each)
    ]
    if not right:
        return ""
    names = ", ".join(check_text.pair_name(each) for each in right)
    if len(right) == 1:
        return translate("Walkthrough", "The pair {names} agrees.").format(names=names)
    return translate("Walkthrough", "These pairs agree: {names}.").format(names=names)


def _verdict(report: JacobianReport) -> Iterator[str]:
    right = [each for each in report.blocks if not each.wrong and each.count]
    if len(right) > 1 and report.verdict == "match":
        text = translate("Walkthrough", "All {count} pairs agree: {names}.")
        names = ", ".join(check_text.pair_name(each) for each in right)
        yield text.format(count=len(right), names=names)
    # A diagnosis explains the problems, which are in torch's words.
    for each in report.diagnoses:
        if each.code != "none" or not report.problems:
            yield each.message
    yield from (problem.message for problem in report.problems)
    yield check_text.second_order_caveat(report, None)
