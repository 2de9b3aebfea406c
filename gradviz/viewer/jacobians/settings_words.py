"""What a check was asked to do besides the usual, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.model.jacobian import JacobianReport
from gradviz.viewer.jacobians.titles import title_of


def _tr(text: str) -> str:
    return QCoreApplication.translate("CheckSettings", text)


def what_was_on(report: JacobianReport) -> tuple[str, ...]:
    """A few words for each option that a report was made with."""
    kinds = {trial.kind for trial in report.trials}
    said = (
        (bool(report.cast_from), _tr("cast from {dtype}").format(dtype=report.cast_from)),
        (report.nudge > 0, _tr("inputs moved by {0:g} to {1:g}").format(*_moved(report))),
        (report.forward_mode, _tr("forward mode too")),
        (report.batched, _tr("batched gradients too")),
        (report.fast, _tr("fast mode: products with random vectors first")),
        (bool(report.reference), _tr("reference: {title}").format(title=report.reference)),
        ("incoming" in kinds, _tr("other incoming gradients tried")),
        ("variation" in kinds, _tr("other inputs tried")),
    )
    return tuple(text for is_on, text in said if is_on)


def _moved(report: JacobianReport) -> tuple[float, float]:
    return report.nudge, 2 * report.nudge


def is_wrong_all_the_same(report: JacobianReport) -> bool:
    """Whether gradcheck says True about what is wrong."""
    return report.verdict == "match" and not report.passed


def is_doubted(report: JacobianReport) -> bool:
    """Whether gradcheck says False, and all that is known speaks against the check itself."""
    return (
        report.verdict == "mismatch"
        and bool(report.diagnoses)
        and all(each.is_harmless for each in report.diagnoses)
    )


def faults(report: JacobianReport) -> str:
    """The titles of what speaks against the function, each once."""
    titles = [title_of(each.code) for each in report.diagnoses if not each.is_harmless]
    return ", ".join(dict.fromkeys(titles))


def wrong_all_the_same(report: JacobianReport) -> str:
    """The headline where gradcheck says True about what is wrong."""
    text = _tr("gradcheck says True; backward is wrong all the same: {faults}.")
    if report.order == 2:
        text = _tr("gradgradcheck says True; backward is wrong all the same: {faults}.")
    return text.format(faults=faults(report))


def doubt(report: JacobianReport) -> str:
    """What is said where gradcheck says False, but the function need not be wrong."""
    titles = [title_of(each.code) for each in report.diagnoses]
    text = _tr("This speaks against the check, not against the function: {titles}.")
    return text.format(titles=", ".join(dict.fromkeys(titles)))
