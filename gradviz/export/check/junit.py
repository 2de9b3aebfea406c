"""Jacobian checks as JUnit XML, which continuous integration reads as a test report.

It uses only elements and attributes that Jenkins' and pytest's ``xunit2`` schemas share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from gradviz.catalogue.messages import say
from gradviz.drawing.content.plain_text import label_text
from gradviz.export.check.text import trial_lines
from gradviz.export.check.verdict import block_place, block_sentence, diagnosis_line, verdict_words
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport

_MOST_CHARACTERS = 2000
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSuite:
    """One check in a report of several.

    Attributes:
        subject: What was checked, like ``my.py:Square``.
        order: Order of the check.
        created: Time of the check, in ISO 8601.
        report: Its report; None if there is none.
        error: Why the report is missing or incomplete, as a sentence; else empty.
    """

    subject: str
    order: int = 1
    created: str = ""
    report: JacobianReport | None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One test of a suite; it passed unless it has a failure or an error."""

    name: str
    failure: str = ""
    error: str = ""
    kind: str = ""
    text: tuple[str, ...] = ()


def junit_xml(suites: Sequence[CheckSuite]) -> bytes:
    """Build the XML document, encoded in UTF-8.

    Each check is a suite with one test per pair of output and input, and one for the function as
    a whole: gradcheck's other conditions, and what only gradviz checks.
    """
    root = ElementTree.Element("testsuites", name="gradviz check")
    totals = {"tests": 0, "failures": 0, "errors": 0}
    for suite in suites:
        cases = _cases(suite)
        counts = {
            "tests": len(cases),
            "failures": sum(bool(each.failure) for each in cases),
            "errors": sum(bool(each.error) for each in cases),
        }
        for name, count in counts.items():
            totals[name] += count
        seconds = 0 if suite.report is None else suite.report.duration_ns / _NS_PER_S
        name = suite.subject
        if suite.order != 1:
            name = say("junit.order", subject=name, order=suite.order)
        child = ElementTree.SubElement(root, "testsuite", name=_clean(name))
        child.attrib |= {key: str(count) for key, count in counts.items()}
        child.attrib |= {"skipped": "0", "time": f"{seconds:.3f}"}
        if suite.created:
            child.set("timestamp", suite.created)
        for case in cases:
            # Only the time of the whole check is known, so its tests share it equally.
            _add(child, _clean(name), case, seconds / len(cases))
    root.attrib |= {key: str(count) for key, count in totals.items()}
    ElementTree.indent(root, " ")
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add(suite: ElementTree.Element, class_name: str, case: _Case, seconds: float) -> None:
    # Readers take a dot in the class name for a package separator.
    test = ElementTree.SubElement(
        suite,
        "testcase",
        classname=class_name.replace(".py:", "."),
        name=_clean(case.name),
        time=f"{seconds:.3f}",
    )
    for tag, sentence in (("failure", case.failure), ("error", case.error)):
        if sentence:
            child = ElementTree.SubElement(test, tag, message=_clean(sentence), type=case.kind)
            child.text = "\n".join(map(_clean, case.text or (sentence,)))


def _cases(suite: CheckSuite) -> list[_Case]:
    report = suite.report
    if report is None:
        error = suite.error or say("junit.no_report")
        return [_Case(name=say("junit.whole"), error=error, kind="error")]
    return [*(_pair(report, block) for block in report.blocks), _whole(report, suite.error)]


def _pair(report: JacobianReport, block: JacobianBlock) -> _Case:
    name = block_place(block)
    relevant = [each for each in report.diagnoses if each.covers(block.place)]
    against = [each for each in relevant if not each.is_harmless]
    if not block.wrong and not any(each.place == block.place for each in against):
        return _Case(name=name)
    chosen = (against or relevant)[:1]
    sentence = chosen[0].message if chosen else block_sentence(block)
    lines = (block_sentence(block), *_diagnosis_lines(report, relevant))
    kind = chosen[0].code if chosen else "mismatch"
    # An error instead of a failure, because the function may be correct.
    if report.verdict == "inconclusive":
        return _Case(name=name, error=sentence, kind=kind, text=lines)
    return _Case(name=name, failure=sentence, kind=kind, text=lines)


def _whole(report: JacobianReport, error: str) -> _Case:
    name = say("junit.whole")
    deciding = [each for each in report.problems if each.decides]
    relevant = [
        each
        for each in report.diagnoses
        if not each.is_harmless and report.block_at(each.place) is None
    ]
    lines = (
        *(each.message for each in deciding),
        *_diagnosis_lines(report, relevant),
        *trial_lines(report),
    )
    if error or not report.has_result:
        sentence = error or next((each.message for each in deciding), verdict_words(report))
        kind = deciding[0].code if deciding else report.verdict
        return _Case(name=name, error=sentence, kind=kind, text=lines)
    if not deciding and not relevant:
        return _Case(name=name)
    sentence, kind = (
        (relevant[0].message, relevant[0].code)
        if relevant
        else (deciding[0].message, deciding[0].code)
    )
    return _Case(name=name, failure=sentence, kind=kind, text=lines)


def _diagnosis_lines(report: JacobianReport, diagnoses: Sequence[Diagnosis]) -> tuple[str, ...]:
    lines: list[str] = []
    for each in diagnoses:
        lines += [diagnosis_line(report, each), *(f"  {line}" for line in each.evidence)]
        if each.repair is not None:
            lines.append(f"  {say('report.repair', text=each.repair.message)}")
    return tuple(lines)


def _clean(text: str) -> str:
    """Turn any text into one line that is valid in XML."""
    return label_text(text, most=_MOST_CHARACTERS)
