"""Answers the queries of facts: what a recorded scene says.

A query is one of

    value NAME [at PLACE]        the tensor where it is recorded first, or at a step or line
    grad NAME                    the .grad of a leaf as the run leaves it
    step N ROLE NAME             ROLE is input, output, saved, incoming, received, returned,
                                 passed, contribution, total or result; NAME may be a position
    shape of VALUE, version of VALUE, dtype of VALUE        VALUE is one of the above
    steps, title N, error, printed N, finding CODE
    check [2] verdict
    check [2] count|wrong|worst|analytical|numerical|diagnosis NAME        NAME is an argument's

behind ``scene-id:`` for another scene than the page's, or the page of a program; an element like
``[1, 0]`` may follow a value, and ``as .4f``, ``as matrix`` says how it is written. Words and
sentences are in the current language; findings and diagnoses in that of the recording.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.named_values import NotFoundError, named_value
from gradviz.catalogue.messages import say
from gradviz.catalogue.templates import MESSAGES
from gradviz.document.facts.step_facts import title_of
from gradviz.gallery.guide.contents import PROGRAM_PAGES
from gradviz.gallery.guide.facts import parse_query
from gradviz.gallery.registry import SCENES
from gradviz.model.item import Item
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.model.step import ErrorStep
from gradviz.text.phrases import shape_text
from tools.guide.numbers import FormError, text_of_item, text_of_number, text_of_value
from tools.guide.recordings import Recordings

_FORM = re.compile(r"(.*?)\s+as\s+(\S+)")
_ASPECT = re.compile(r"(shape|version|dtype) of (.+)")
_CHECK = re.compile(
    r"check(?: ([12]))? (verdict|count|wrong|worst|analytical|numerical|diagnosis)(?: (.+))?"
)


class QueryError(ValueError):
    """A query cannot be answered; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query taken apart.

    Attributes:
        scene: Which scene is asked.
        text: What it is asked.
        form: How the answer is written; empty for the usual way.
    """

    scene: str
    text: str
    form: str


def parsed(query: str, page: str) -> Query:
    """Takes a query apart; without a scene it is the page's own."""
    form = ""
    scene, query = parse_query(query, page)
    formed = _FORM.fullmatch(query)
    if formed is not None:
        query, form = formed[1], formed[2]
    if scene not in {*PROGRAM_PAGES, *(each.id for each in SCENES)}:
        raise QueryError(f"there is no scene {scene}; write scene-id: before the query")
    return Query(scene=scene, text=query, form=form)


def answer(query: str, page: str, recordings: Recordings) -> str:
    """The text of a fact.

    Raises:
        QueryError: If the query cannot be read, or nothing of that kind was recorded.
    """
    asked = parsed(query, page)
    try:
        return _answer(asked, recordings)
    except (NotFoundError, FormError, IndexError) as error:
        raise QueryError(f"{error}; tools/guide/query.py lists what there is") from None


def _answer(asked: Query, recordings: Recordings) -> str:
    check = _CHECK.fullmatch(asked.text)
    if check is not None:
        return _of_check(asked, int(check[1] or 1), check[2], check[3] or "", recordings)
    index = recordings.run(asked.scene)
    aspect = _ASPECT.fullmatch(asked.text)
    if aspect is not None:
        item, _ = named_value(index, aspect[2])
        return _aspect(index, item, aspect[1])
    told = _told(index, asked.text)
    if told is not None:
        return told
    item, element = named_value(index, asked.text)
    return text_of_item(index, item, asked.form, element)


def _aspect(index: TraceIndex, item: Item, aspect: str) -> str:
    if item.tensor is None:
        raise NotFoundError(f"{item.name} is no tensor and has no {aspect}")
    record = index.tensor[item.tensor]
    if aspect == "shape":
        return shape_text(record.shape)
    return str(record.version if aspect == "version" else record.dtype)


def _told(index: TraceIndex, text: str) -> str | None:
    """The answer to what is not about a value; None for a query about one."""
    word, _, rest = text.partition(" ")
    ways: dict[str, Callable[[TraceIndex, str], str]] = {
        "steps": lambda index, rest: str(len(index.trace.steps)),
        "title": _title,
        "error": _error,
        "printed": _printed,
        "finding": _finding,
    }
    return ways[word](index, rest) if word in ways else None


def _title(index: TraceIndex, number: str) -> str:
    step = step_at(index, int(number))
    if step is None:
        raise NotFoundError(f"there is no step {number}")
    return title_of(index, step)


def _error(index: TraceIndex, rest: str) -> str:
    for step in index.trace.steps:
        if isinstance(step, ErrorStep):
            return step.exception if rest == "kind" else step.message
    raise NotFoundError("the run raised nothing")


def _printed(index: TraceIndex, number: str) -> str:
    text = "".join(each.text for each in index.trace.console if each.activity == "run")
    lines = text.splitlines()
    if not 1 <= int(number) <= len(lines):
        raise NotFoundError(f"the run printed {len(lines)} lines")
    return lines[int(number) - 1]


def _finding(index: TraceIndex, code: str) -> str:
    for each in index.trace.findings:
        if each.code == code:
            return each.message
    codes = ", ".join(sorted({each.code for each in index.trace.findings})) or "nothing"
    raise NotFoundError(f"no {code} was found, but {codes}")


def _of_check(asked: Query, order: int, what: str, name: str, recordings: Recordings) -> str:
    index, report = recordings.check(asked.scene, order)
    if what == "verdict":
        key = f"guide.verdict.{report.verdict}"
        if key not in MESSAGES:
            raise NotFoundError(f"the catalogue has no word for the verdict {report.verdict}")
        return say(key)
    blocks = [each for each in report.blocks if each.input_name == name]
    if not blocks:
        names = ", ".join(each.input_name for each in report.blocks) or "nothing"
        raise NotFoundError(f"{name or 'nothing'} was not checked, but {names}")
    block = blocks[0]
    if what == "diagnosis":
        for each in report.diagnoses:
            if (each.output, each.input) == (block.output, block.input):
                return each.message
        raise NotFoundError(f"the check has no diagnosis for {name}")
    return _of_block(index, block, what, asked.form)


def _of_block(index: TraceIndex, block: JacobianBlock, what: str, form: str) -> str:
    if what in ("count", "wrong"):
        return str(getattr(block, what))
    if form == "matrix" or block.worst is None:
        number = block.analytical if what == "analytical" else block.numerical
        return text_of_value(index.value(number), form)
    if what == "worst":
        return f"{block.input_name}{list(block.worst.input_index)}"
    number_there = block.worst.analytical if what == "analytical" else block.worst.numerical
    return text_of_number(_rounded(number_there), form)


def _rounded(number: complex) -> float:
    """A central difference is right to about ten digits: what a reader takes for 2 is 2."""
    return round(number.real, 7)
