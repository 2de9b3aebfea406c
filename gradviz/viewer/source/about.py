"""What the line that is shown is to the place in the run: one short sentence each."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.model.inside import Line, StageKind


def called(op: str) -> str:
    """Of a built-in op's forward step."""
    return _tr("This line called {op}.").format(op=op)


def answers(kind: str, function: str) -> str:
    """Of what a type ran when it was asked for a function's answer."""
    return _tr("{type} was asked for {function}.").format(type=kind, function=function)


def made(node: str, line: int | None) -> str:
    """Of a built-in node's backward."""
    if line is None:
        return _tr("{node} is torch's own code; which line made it was not recorded.").format(
            node=node
        )
    return _tr("{node} is torch's own code: it was made by line {line}.").format(
        node=node, line=line
    )


def accumulated(name: str) -> str:
    """Of the accumulation into a leaf."""
    if not name:
        return _tr("Torch adds to .grad itself; this line started backward.")
    return _tr("Torch adds to {name}.grad itself; this line started backward.").format(name=name)


def begins() -> str:
    """Of a pass that begins."""
    return _tr("This line starts backward.")


def ended() -> str:
    """Of a pass that ends."""
    return _tr("The backward that this line started has ended.")


def raised(exception: str) -> str:
    """Of an exception that ended the run."""
    return _tr("{exception} was raised here.").format(exception=exception)


def raising(exception: str, message: str) -> str:
    """The exception beside its line."""
    first = message.strip().partition("\n")[0]
    if not first:
        return exception
    return _tr("{exception}: {message}").format(exception=exception, message=first)


def stage(kind: StageKind | None, phase: str, function: str) -> str:
    """Of a step of a custom Function, or one of its stages."""
    match kind:
        case "setup_context":
            return _tr("It fills ctx once forward has returned.")
        case "save":
            return _tr("It has returned; torch keeps what backward needs.")
        case "engine":
            return _tr("It has returned; the engine checks its gradients.")
        case _ if phase == "backward":
            return _tr("The backward of this step.")
        case _:
            return _tr("The forward of this step.")


def line(record: Line, *, op: bool) -> str:
    """Of a source line."""
    if op:
        return _tr("This line is running.")
    if not record.finished:
        return _tr("This line did not finish.")
    return _tr("This line has just run.")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Source", text)
