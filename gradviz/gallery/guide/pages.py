"""Guide pages, loaded from the resources: a folder for each language."""

from __future__ import annotations

import re
from functools import cache

from gradviz.catalogue.diagnoses import GROUPS
from gradviz.catalogue.error_pages import ERROR_PAGES, RAISED_ERRORS, SILENT_ERRORS
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.catalogue.messages import say, say_list
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.catalogue.rules.declaration import DoctorRule
from gradviz.gallery.guide.contents import PAGES, chapter_of
from gradviz.gallery.guide.page import GuidePage
from gradviz.resource import resource_path

_DIAGNOSES = re.compile(r"<!-- diagnoses: (\w+) -->")
"""Stands in a table for the rows of a group of diagnoses."""
_ERRORS = re.compile(r"<!-- errors: (\w+) -->")
"""Stands in a table for the rows of the errors that torch raises, or of those that it does not."""
_RULES = "<!-- rules -->"
_LANGUAGE = "en"


def page_source(name: str, language: str = _LANGUAGE) -> str:
    """Load a page's Markdown source as it is stored; English if the language lacks the page.

    Raises:
        UnknownPageError: If there is no page of that name.
        FileNotFoundError: If its file is missing.
    """
    chapter_of(name)
    rule = doctor_rule(name)
    if rule is not None:
        return rule_page_source(rule)
    translated = resource_path("guide") / language / f"{name}.md"
    if not translated.is_file():
        translated = resource_path(f"guide/{_LANGUAGE}/{name}.md")
    return translated.read_text(encoding="utf-8")


def page_text(name: str, language: str = _LANGUAGE) -> str:
    """Load a page's Markdown source, with the rows of diagnoses, errors and rules in their tables.

    Raises:
        UnknownPageError: If there is no page of that name.
        FileNotFoundError: If its file is missing.
    """
    text = page_source(name, language).replace(_RULES, "\n".join(map(_rule_row, DOCTOR_RULES)))
    text = _ERRORS.sub(lambda found: _error_rows(found[1], language), text)
    return _DIAGNOSES.sub(_rows, text)


def _rule_row(declared: DoctorRule) -> str:
    rule = doctor_rule(declared.id) or declared
    return f"| [{rule.id}](page:{rule.id}) | {rule.summary} |"


def _error_rows(group: str, language: str) -> str:
    pages = RAISED_ERRORS if group == "raised" else SILENT_ERRORS
    return "\n".join(
        f"| [{page_title(name, language)}](page:{name}) | {finding_kind(code).about} |"
        for code, name in pages.items()
    )


def _rows(found: re.Match[str]) -> str:
    codes = [each.code for each in GROUPS[found[1]]]
    return "\n".join(f"| `{code}` | {say(f'{code}.guide')} |" for code in codes)


@cache
def page(name: str, language: str = _LANGUAGE) -> GuidePage:
    """Load and parse a page; the result is cached.

    Raises:
        UnknownPageError: If there is no page of that name.
        FileNotFoundError: If its file is missing.
        GuideError: If its markup is invalid.
    """
    # A window starts without the Markdown parser, which nobody needs before the first page.
    from gradviz.gallery.guide.parser import read_page

    return read_page(name, page_text(name, language))


def pages_about(message: str, language: str = _LANGUAGE) -> tuple[str, ...]:
    """Pages about a message of torch, or a part of one, in upper case or lower.

    Those come first whose title is the message, a part of it, or has it as a part. Then come the
    rules for what torch refuses with it, and pages that quote it.
    """
    wanted = " ".join(message.casefold().split())
    found: dict[str, None] = {}
    titles = {name: page_title(name, language).casefold() for name in PAGES}
    errors = set(ERROR_PAGES.values())
    for name, title in titles.items():
        if wanted in title or (name in errors and title in wanted):
            found[name] = None
    for rule in DOCTOR_RULES:
        if rule.refusal and rule.refusal_is_clear and re.search(rule.refusal, message, re.I):
            found[rule.id] = None
    for name in errors:
        if wanted in " ".join(page_source(name, language).casefold().split()):
            found[name] = None
    return tuple(found)


def page_title(name: str, language: str = _LANGUAGE) -> str:
    """Title of a page, taken from its first line without parsing the page."""
    # The rows of tables take long to make, and the window lists the titles of all pages.
    return page_source(name, language).partition("\n")[0].removeprefix("#").strip()


def page_names() -> tuple[str, ...]:
    """Names of the existing pages, in order."""
    folder = resource_path(f"guide/{_LANGUAGE}")
    return tuple(name for name in PAGES if doctor_rule(name) or (folder / f"{name}.md").is_file())


def rule_page_source(rule: DoctorRule) -> str:
    """The page of a rule, as Markdown."""
    evidence = say_list([say(f"doctor.evidence.{each}") for each in rule.evidence])
    facts = say(
        "doctor.page.facts",
        severity=say(f"doctor.severity.{rule.severity}"),
        evidence=evidence,
        code=rule.code,
    )
    parts = [
        f"# {rule.id}: {rule.title}",
        rule.summary,
        facts,
        *([say("doctor.page.likely")] if rule.confidence == "likely" else []),
        f"## {say('doctor.page.why')}",
        rule.why,
        f"## {say('doctor.page.bad')}",
        f"```python\n{rule.bad}```",
        f"## {say('doctor.page.good')}",
        rule.remedy,
        f"```python\n{rule.good}```",
        say("doctor.page.ignore", rule=rule.id),
    ]
    return "\n\n".join(parts) + "\n"
