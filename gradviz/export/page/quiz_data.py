"""What quiz mode shows on the page in place of the answer of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.step import NodeStep
from gradviz.text.narration import describe_revealed


def quiz_questions(index: TraceIndex, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Build ``{question, names}`` for each step with an answer, by its position in the list.

    Args:
        index: The trace.
        numbers: The steps.

    Returns:
        ``names`` has the hidden sections of values, each with the names that it lists.
    """
    found = {}
    for at, number in enumerate(numbers):
        step = step_at(index, number)
        if isinstance(step, NodeStep) and has_quiz_answer(step):
            revealed = RevealedTrace.before_answer(index, number)
            question = describe_revealed(revealed, TracePosition(step=number))
            names = [visible_text(item.name) for item in revealed.answer_items(number)]
            found[at] = {
                "question": visible_text(question),
                "names": {
                    "returned": names if step.returned else [],
                    "passed": [] if step.returned else names,
                },
            }
    return found
