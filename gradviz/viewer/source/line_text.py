"""Short sentences that say how the shown line relates to the current step."""

from __future__ import annotations

from gradviz.model.inside import ExecutedLine, StageKind
from gradviz.viewer.translation import translate


def called_text(op: str) -> str:
    """Describe the line that called an op."""
    return translate("Source", "This line called {op}.").format(op=op)


def answers_text(kind: str, function: str) -> str:
    """Describe the last override handler that was called for a function."""
    return translate("Source", "{type} was called to handle {function}.").format(
        type=kind, function=function
    )


def made(node: str, line: int | None) -> str:
    """Describe the line that created a built-in node, shown during the node's backward."""
    if line is None:
        return translate(
            "Source", "{node} is part of torch. The line that created it was not recorded."
        ).format(node=node)
    return translate("Source", "{node} is part of torch. Line {line} created it.").format(
        node=node, line=line
    )


def executed_text(node: str) -> str:
    """Describe the line that started backward, shown during a node that no known line created."""
    return translate("Source", "{node} is part of torch; this line started backward.").format(
        node=node
    )


def accumulated_text(name: str) -> str:
    """Describe the line shown while a leaf's gradient is accumulated."""
    if not name:
        return translate("Source", "Torch accumulates .grad; this line started backward.")
    return translate("Source", "Torch accumulates {name}.grad; this line started backward.").format(
        name=name
    )


def pass_begins_text() -> str:
    """Describe the line that starts a backward pass."""
    return translate("Source", "This line starts the backward pass.")


def pass_ends_text() -> str:
    """Describe the line shown when its backward pass has ended."""
    return translate("Source", "The backward pass that this line started has ended.")


def raised(exception: str) -> str:
    """Describe the line at which an exception ended the run."""
    return translate("Source", "{exception} was raised here.").format(exception=exception)


def stage(kind: StageKind | None, phase: str, function: str) -> str:
    """Describe a stage of a custom Function's step, or the step as a whole."""
    match kind:
        case "setup_context":
            return translate("Source", "It fills ctx after forward has returned.")
        case "save":
            return translate("Source", "It has returned; torch saves what backward needs.")
        case "engine":
            return translate("Source", "It has returned; the engine checks its gradients.")
        case _ if phase == "backward":
            return translate("Source", "The backward of this step.")
        case _:
            return translate("Source", "The forward of this step.")


def line(record: ExecutedLine, *, op: bool) -> str:
    """Say whether a recorded line is running, has run, or did not finish."""
    if op:
        return translate("Source", "This line is running.")
    if not record.finished:
        return translate("Source", "This line did not finish.")
    return translate("Source", "This line has just run.")
