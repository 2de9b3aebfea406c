"""The sentence of an optimizer's step."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.messages import say, say_list
from gradviz.model.step import OptimizerStep


def optimizer_sentence(index: Index, step: OptimizerStep) -> str:
    """Says which parameters an optimizer has moved."""
    moved = say_list([item.name for item in step.before])
    key = "optimizer.moved" if step.finished else "optimizer.unfinished"
    return say(key, optimizer=step.optimizer, parameters=moved)
