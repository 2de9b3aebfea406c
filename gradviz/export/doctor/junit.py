"""Findings of the doctor as JUnit XML: a suite for each file, a test for each rule."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.catalogue.visible_text import visible_text
from gradviz.linter.coverage import Coverage
from gradviz.linter.doctor_finding import DoctorFinding
from gradviz.linter.unexamined import Unexamined


def doctor_junit(
    findings: Sequence[DoctorFinding],
    coverages: Sequence[Coverage],
    problems: Sequence[Unexamined] = (),
) -> bytes:
    """Build the XML document, encoded in UTF-8.

    Args:
        findings: The findings; those of style do not fail their test.
        coverages: What was looked at, in each file; a rule that was not is a skipped test.
        problems: What could not be examined: each is a test with an error.
    """
    root = ElementTree.Element("testsuites", name="gradviz-doctor")
    covered = {each.paths[0]: each for each in coverages}
    examined = dict.fromkeys((*covered, *(each.path for each in findings)))
    for path in dict.fromkeys((*examined, *(each.path for each in problems))):
        suite = ElementTree.SubElement(root, "testsuite", name=visible_text(path))
        here = [each for each in findings if each.path == path]
        failed = skipped = 0
        known = covered.get(path)
        unchecked = {rule.id for rule in known.unchecked} if known else set[str]()
        for rule in DOCTOR_RULES if path in examined else ():
            case = ElementTree.SubElement(
                suite, "testcase", classname=rule.id, name=rule.code, time="0"
            )
            broken = [e for e in here if e.rule.id == rule.id and e.severity != "info"]
            failed += bool(broken)
            if broken:
                message = visible_text(broken[0].message)
                failure = ElementTree.SubElement(case, "failure", message=message, type=rule.code)
                failure.text = "\n".join(
                    visible_text(f"{each.path}:{each.line}: {each.message}") for each in broken
                )
            elif known and rule.id in unchecked:
                skipped += 1
                note = visible_text(" ".join(known.sentences()))
                ElementTree.SubElement(case, "skipped", message=note)
        missing = [each for each in problems if each.path == path]
        for number, each in enumerate(missing, start=1):
            case = ElementTree.SubElement(
                suite, "testcase", classname="examination", name=str(number), time="0"
            )
            message = visible_text(each.message)
            ElementTree.SubElement(case, "error", message=message, type="unexamined").text = message
        suite.attrib |= {
            "tests": str(len(suite)),
            "failures": str(failed),
            "errors": str(len(missing)),
            "skipped": str(skipped),
        }
    ElementTree.indent(root, " ")
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
