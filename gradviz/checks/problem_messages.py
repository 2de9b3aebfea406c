"""Problems of a check other than a differing element, with their sentences.

Containment of exceptions from the checked code, and their description with a location.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, cast

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.run.progress import CheckCancelledError
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import CheckProblem, CheckVerdict
from gradviz.recorder.accelerators import has_float64
from gradviz.recorder.error_boundary import safe_exception_text
from gradviz.recorder.own_errors import innermost_user_frame, is_own_error, place_of
from gradviz.recorder.safe_text import class_name
from gradviz.recorder.sources import shown_path
from gradviz.recorder.tensors.tensor_compat import is_fake

T = TypeVar("T")

_LONGEST = 300


class Attempt:
    """Context manager that catches an exception and keeps it in ``error``, whosever it is.

    For trials that may fail by themselves, such as a change of backward that does not fit.
    Cancellation of the check, KeyboardInterrupt, and SystemExit pass through.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        # Not `isinstance`, which may ask the exception for its ``__class__``.
        if kind is None or not issubclass(kind, Exception) or kind is CheckCancelledError:
            return False
        self.error = cast(Exception, error)
        return True


def result_of(work: Callable[[], T]) -> T | None:
    """What work returns; None if it raises, whatever it is."""
    with Attempt():
        return work()
    return None


class UserCodeAttempt(Attempt):
    """Like `Attempt`, but only for exceptions of the checked code; bugs of gradviz pass through."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        is_ours = error is not None and is_own_error(error)
        return not is_ours and super().__exit__(kind, error, trace)


def refusal_verdict(error: Exception) -> CheckVerdict:
    """As in gradcheck: False for a RuntimeError, while any other exception is raised."""
    return "mismatch" if issubclass(type(error), RuntimeError) else "error"


def describe_exception(error: Exception) -> str:
    """Describe an exception to end a sentence: its type, where it was raised, its message."""
    message = " ".join(safe_exception_text(error).split())
    if len(message) > _LONGEST:
        message = message[: _LONGEST - 1] + "…"
    values: dict[str, object] = {"kind": class_name(type(error)), "message": message}
    key = "described"
    frame = innermost_user_frame(error)
    if frame is not None:
        key += ".at"
        values |= {
            "file": Path(shown_path(frame.filename)).name,
            "line": frame.lineno,
            "function": frame.name,
        }
    return say(f"{key}.message" if message else key, **values)


def make_problem(key: str, *, error: Exception | None = None, **values: object) -> CheckProblem:
    """The problem whose sentence is the template ``problem.<key>``.

    Args:
        key: The problem's code, followed by the variant of its sentence if it has several, such as
            ``raised.backward``.
        error: The exception that the sentence ends with, if it does.
        values: Values of the template.
    """
    if error is not None:
        values["error"] = describe_exception(error)
    return CheckProblem(code=key.partition(".")[0], message=say(f"problem.{key}", **values))


def find_no_values(name: str, tensor: Tensor) -> CheckProblem | None:
    """Problem of a tensor that has a shape but no values; None if it has some."""
    if tensor.is_meta:
        return make_problem("no_values", name=name)
    return make_problem("no_values.fake", name=name) if is_fake(tensor) else None


def low_precision(
    name: str, dtype: str, settings: CheckSettings, device: torch.device
) -> CheckProblem:
    """Hint that an input's dtype is too imprecise, which explains a false mismatch."""
    honest = settings.for_dtype(dtype)
    variant = ".half" if honest.cast else ".step" if settings.eps < honest.eps else ""
    return make_problem(
        f"low_precision{variant}" if has_float64(device) else "no_float64",
        name=name,
        device=device,
        dtype=dtype,
        wide="complex128" if dtype.startswith("complex") else "float64",
        eps=settings.eps,
        good_eps=honest.eps,
        atol=honest.atol,
        rtol=honest.rtol,
    )


def cast_refused(dtypes: str) -> CheckProblem:
    """Hint that only the cast inputs fail; the error they caused decides the verdict."""
    honest = CheckSettings().for_dtype(dtypes.split(", ")[0])
    return make_problem(
        f"cast_refused{'' if honest.cast else '.step'}",
        dtypes=dtypes,
        eps=honest.eps,
        atol=honest.atol,
        rtol=honest.rtol,
    )


def for_order(key: str, order: int) -> str:
    """The key of a problem with one sentence for functions and another for second derivatives."""
    return key if order == 1 else f"{key}.second"


def own_bug(error: Exception, key: str = "bug") -> CheckProblem:
    """Problem of a check that a bug in gradviz has ended; the verdict is ``error``.

    Args:
        error: What was raised.
        key: ``examination_failed`` if only the search for causes has ended.
    """
    file, line = place_of(error)
    return make_problem(key, file=file, line=line, error=error)


def varying(argument: str, output: str, spread: float, allowed: float) -> CheckProblem:
    """Identical backward passes gave different gradients; the verdict is ``mismatch``."""
    return make_problem(
        "nondeterministic", name=argument, output=output, spread=spread, tolerance=allowed
    )


def products_differ(argument: str, output: str, ours: complex, theirs: complex) -> CheckProblem:
    """Products with random vectors differ in fast mode; the verdict is ``mismatch``."""
    numbers = [f"{each:.6g}" if each.imag else f"{each.real:.6g}" for each in (ours, theirs)]
    return make_problem(
        "fast_mode", name=argument, output=output, ours=numbers[0], theirs=numbers[1]
    )
