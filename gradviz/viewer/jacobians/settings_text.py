"""Describes the non-default settings of a check in words."""

from __future__ import annotations

from gradviz.export.check.verdict import option_words
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.jacobians.diagnosis_titles import title_of
from gradviz.viewer.translation import translate


def enabled_options_text(report: JacobianReport) -> tuple[str, ...]:
    """A few words for each option that a report was made with."""
    kinds = {trial.kind for trial in report.trials}
    tried = (
        ("incoming" in kinds, translate("CheckSettings", "other incoming gradients tried")),
        ("variation" in kinds, translate("CheckSettings", "input variations tried")),
    )
    return (*option_words(report), *(text for is_on, text in tried if is_on))


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


def wrong_despite_passing_text(report: JacobianReport) -> str:
    """Headline if gradcheck passes although the function is wrong."""
    text = translate("CheckSettings", "gradcheck passes, but backward is wrong: {faults}.")
    if report.order == 2:
        text = translate("CheckSettings", "gradgradcheck passes, but backward is wrong: {faults}.")
    return text.format(faults=faults(report))


def doubt_text(report: JacobianReport) -> str:
    """Text if gradcheck fails, but the function may be correct."""
    titles = [title_of(each.code) for each in report.diagnoses]
    text = translate(
        "CheckSettings", "This points to a problem with the check, not with the function: {titles}."
    )
    return text.format(titles=", ".join(dict.fromkeys(titles)))
