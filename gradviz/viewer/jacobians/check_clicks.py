"""What the stage shows of a check, click by click."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.cells.pair_matrices import tensor_of
from gradviz.drawing.cells.plane import subscript
from gradviz.export.check.verdict import two_numbers
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.item import gradient_name
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.step import NodeStep
from gradviz.story.click import Click
from gradviz.story.run import StoryRun
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.check_text import confidence_text, title_of
from gradviz.viewer.translation import translate


def check_clicks(report: JacobianReport, run: StoryRun) -> tuple[Click, ...]:
    """The worst pair, explained in several clicks, then one for each other wrong pair.

    Only a verdict is left if nothing was compared.

    Args:
        report: The report of the check.
        run: The checked run.
    """
    wrong = [each for each in report.blocks if each.count and is_wrong(report, each)]
    wrong.sort(key=_excess, reverse=True)
    right = (each for each in report.blocks if each.count)
    block = wrong[0] if wrong else next(right, None)
    if block is None:
        return (_verdict(report, check_name(report.order), ""),)
    others = (_other(report, each) for each in wrong[1:])
    return (*_clicks(report, block, run), *others, *_verdicts(report, block))


def start_click(name: str, note: str) -> Click:
    """What the stage shows before a check: what it will do.

    Args:
        name: Name of what is checked.
        note: What is said below the picture.
    """
    topic, question = _topic(1, name), say("story.check_question")
    return Click(topic=topic, headline=question, text=f"check {name}", note=note)


def is_wrong(report: JacobianReport, block: JacobianBlock) -> bool:
    """Whether elements of a pair differ, or a diagnosis says that gradcheck misses its error."""
    return block.wrong > 0 or any(not each.is_harmless for each in report.diagnoses_of(block))


def diagnosis_of(report: JacobianReport, block: JacobianBlock | None) -> Diagnosis | None:
    """Return the first diagnosis of a pair, else one of the whole function; None without any."""
    own = () if block is None else report.diagnoses_of(block)
    general = (each for each in report.diagnoses if each.output is None and each.input is None)
    return next((each for each in (*own, *general) if each.code != "none"), None)


def _excess(block: JacobianBlock) -> float:
    return 0.0 if block.worst is None else block.worst.excess


def _topic(order: int, pair: str) -> str:
    return translate("Walkthrough", "{check} · {pair}").format(check=check_name(order), pair=pair)


def check_name(order: int) -> str:
    """Name of a check of first or second order."""
    return "gradgradcheck" if order == 2 else "gradcheck"


def _matrix(report: JacobianReport, block: JacobianBlock, what: str) -> str:
    """A matrix of a pair; see `gradviz.story.picture`."""
    return f"{{check {what} #{report.blocks.index(block)}}}"


def _clicks(report: JacobianReport, block: JacobianBlock, run: StoryRun) -> Iterator[Click]:
    """The clicks of a pair: both matrices, their difference, its cause and the repair."""
    topic, place = _topic(report.order, check_text.pair_name(block)), report.blocks.index(block)
    numerical, analytical = (_matrix(report, block, each) for each in ("numerical", "analytical"))
    difference = _matrix(report, block, "difference")
    all_three = f"{analytical} − {numerical} = {difference}"

    def click(headline: str, text: str, *notes: str) -> Click:
        note = "\n".join(filter(None, notes))
        return Click(topic=topic, headline=headline, text=text, note=note)

    yield click(_numerical(report, block), numerical)
    yield click(_analytical(report, block), f"{numerical} {analytical}")
    yield click(_difference(block), all_three, _rule(report), _other_pairs(report, block))
    if block.wrong and block.worst is not None:
        yield click(_worst(block, report.order), _curve(report, block) or all_three)
        if eps := _eps(report, block):
            yield click(eps, f"errors #{place}")
    if (diagnosis := diagnosis_of(report, block)) is not None:
        headline = _diagnosis(diagnosis)
        doubt = check_text.doubt_text(report) if check_text.is_doubted(report) else ""
        yield click(headline, difference, doubt, diagnosis.message)
        if diagnosis.evidence:
            yield click(headline, difference, *diagnosis.evidence)
        if code := _code(report, block, run):
            yield click(headline, code)
    repaired = next((each for each in report.diagnoses_of(block) if each.repair is not None), None)
    if repaired is not None and tensor_of(report, block, "repaired") is not None:
        yield click(_repair(repaired, block), all_three, repaired.message)


def _curve(report: JacobianReport, block: JacobianBlock) -> str:
    """The curve of the worst element; empty if it was not sampled."""
    is_sampled = report.function_curve_of(block) is not None
    return f"curve #{report.blocks.index(block)}" if is_sampled else ""


def _code(report: JacobianReport, block: JacobianBlock, run: StoryRun) -> str:
    """The line that computes the gradient of a pair's input; empty unless it is known."""
    steps = [each for each in run.index.trace.steps if isinstance(each, NodeStep) and each.returned]
    if report.order == 2 or len(steps) != 1:
        # The error may be in a backward whose gradient has another name.
        return ""
    for at, item in enumerate(steps[0].returned):
        value = f"step {steps[0].number} returned {at}"
        if item.name == block.input_name and run.code_of(value) is not None:
            text = translate("Walkthrough", "This line computes {gradient}")
            return f"code of {value}: {text.format(gradient=gradient_name(item.name))}"
    return ""


def _other(report: JacobianReport, block: JacobianBlock) -> Click:
    """The click of a further pair that is wrong."""
    diagnosis = diagnosis_of(report, block)
    return Click(
        topic=_topic(report.order, check_text.pair_name(block)),
        headline=_pair(block, diagnosis),
        text=_matrix(report, block, "difference"),
        note="" if diagnosis is None else diagnosis.message,
    )


def _verdicts(report: JacobianReport, block: JacobianBlock) -> Iterator[Click]:
    """The verdict, if the worst pair is right."""
    if not is_wrong(report, block):
        topic = check_name(report.order)
        if len(report.blocks) == 1:
            topic = _topic(report.order, check_text.pair_name(block))
        picture = _curve(report, block) or _matrix(report, block, "difference")
        yield _verdict(report, topic, picture)


def _verdict(report: JacobianReport, topic: str, picture: str) -> Click:
    note = "\n".join(filter(None, _verdict_notes(report)))
    return Click(topic=topic, headline=check_text.spoken_headline(report), text=picture, note=note)


def _diagnosis(diagnosis: Diagnosis) -> str:
    text = translate("Walkthrough", "Diagnosis: {title}")
    sure = confidence_text(diagnosis)
    if sure:
        text = translate("Walkthrough", "Diagnosis: {title} ({confidence})")
    return text.format(title=title_of(diagnosis.code), confidence=sure)


def _repair(diagnosis: Diagnosis, block: JacobianBlock) -> str:
    repair = diagnosis.repair
    assert repair is not None
    text = translate("Walkthrough", "Repair: {message} Then {wrong} of {count} elements are wrong.")
    return text.format(message=repair.message, wrong=repair.wrong, count=block.count)


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
    analytical, numerical = two_numbers(worst.analytical, worst.numerical)
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


def _verdict_notes(report: JacobianReport) -> Iterator[str]:
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
