"""Reentrant checkpoints that autograd does not see, as no input of them requires a gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import (
    SourceMatch,
    calls_named,
    last_name,
    parsed_sources,
)
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps

_CHECKPOINT_WARNING = "requires_grad=True. Gradients"


def find_checkpoints_without_gradient(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Reentrant checkpoints none of whose inputs requires a gradient, of which torch warns."""
    if not any(_CHECKPOINT_WARNING in each.text for each in run.index.trace.console):
        return
    for source, tree in parsed_sources(run.index, "checkpoint"):
        for call in calls_named(tree, "checkpoint"):
            if any(each.arg == "use_reentrant" and _is_true(each.value) for each in call.keywords):
                yield LearningProblem(
                    code="checkpoint_without_gradient",
                    severity="warning",
                    message=say(
                        "finding.checkpoint_without_gradient",
                        function=ast.unparse(call.args[0]) if call.args else last_name(call.func),
                        line=call.lineno,
                    ),
                    step=run.begins[0].number,
                    location=SourceMatch(tree=call, source=source).location,
                )
                return


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
