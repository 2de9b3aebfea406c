"""Gradients as they were before the run's hooks, compared with what the hooks made of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, Generic, TypeVar

import torch
from msgspec import Struct
from msgspec.structs import replace

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.catalogue.numbers import number_text
from gradviz.linter.unreturned_gradients import unreturned_gradient
from gradviz.recorder.forward.function_source import nodes_of
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.sources import code_of
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import unreadable_reason
from gradviz.text.phrases import shape_text

_MOST_FINDINGS = 200

_MOST_ELEMENTS = 4
"""Gradients with up to this many elements are shown element by element."""

_MOST_COMPARED = 1 << 20
"""Gradients with up to this many elements are compared element by element."""


class GradientView(Struct, frozen=True):
    """A gradient before or after the run's hooks.

    Attributes:
        number: Number of the tensor in the trace; None for an undefined gradient.
        generation: Generation of that number.
        text: Short description.
        elements: The gradient; None if it has no elements, or too many.
    """

    number: int | None
    generation: int
    text: str
    elements: torch.Tensor | None


Place = tuple[int, int, int]
"""Graph task, node, and which of its gradients."""

W = TypeVar("W")


class GradientHookWatch(Recorder, Generic[W]):
    """Reports what the run's hooks have changed, each with what it was registered on, a ``W``.

    Attributes:
        seen: The gradients that are kept to be compared.
    """

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self.seen: dict[Place, tuple[W, tuple[GradientView, ...]]] = {}
        self._reporter = context.reporter
        self._examined: set[CodeType] = set()
        self._count = 0

    @property
    def _has_room(self) -> bool:
        """Whether there are not yet too many findings."""
        return self._count < _MOST_FINDINGS

    def forget_tasks(self, is_over: Callable[[int], bool]) -> None:
        """Forget what was seen of graph tasks that are over, as after a hook that has raised."""
        for place in [each for each in self.seen if is_over(each[0])]:
            del self.seen[place]

    def _view(self, number: int | None, gradient: torch.Tensor | None) -> GradientView:
        """What is needed to compare a gradient that has a number in the trace."""
        is_compared = gradient is not None and self._tensors.keeps_values and _is_compared(gradient)
        elements = gradient if is_compared else None
        return GradientView(number, self._tensors.known.generation, self._text(gradient), elements)

    def _text(self, gradient: torch.Tensor | None) -> str:
        """Short text of a gradient: its elements if there are few, otherwise shape and norm."""
        if gradient is None:
            return "None"
        shape = shape_text(tuple(gradient.shape))
        if not (self._tensors.keeps_values and _has_elements(gradient)):
            return shape
        if gradient.numel() <= _MOST_ELEMENTS and gradient.dim() < 2:
            values = [number_text(float(each)) for each in gradient.reshape(-1).tolist()]
            return values[0] if gradient.dim() == 0 else f"[{', '.join(values)}]"
        # In float64, where it does not overflow, so on the CPU: some devices have no float64.
        norm = number_text(float(torch.linalg.vector_norm(gradient.cpu().double())))
        return say("hook.value", shape=shape, norm=norm)

    def _keep(self, gradient: torch.Tensor | None) -> GradientView:
        """Record a gradient, and keep what is needed to compare it later."""
        number = None if gradient is None else self._tensors.record(gradient)
        view = self._view(number, gradient)
        elements = view.elements
        return view if elements is None else replace(view, elements=elements.detach().clone())

    def _report_change(
        self,
        code: str,
        key: str,
        hooks: Sequence[Any],
        change: tuple[GradientView, int | None, Any],
        words: dict[str, str],
        at: tuple[int, int],
    ) -> None:
        """Report a gradient if hooks have changed it.

        Args:
            code: Kind of the finding.
            key: Sentence about both gradients; with ``.elements`` about the elements that differ.
            hooks: The hooks.
            change: The gradient before, the number of the one after, and that one.
            words: For the template, which names the hooks too.
            at: The step and the node.
        """
        # One that only logs is among them, too.
        names = [hook_name(each) for each in hooks]
        named = say_list(names, "or") if names else say("hook.unknown")
        before, number, gradient = change
        text = ""
        if before.number != number and before.generation == self._tensors.known.generation:
            after = self._view(number, gradient)
            text = _change_sentence(key, before, after, {"hooks": named, **words})
        if text and self._has_room:
            self._count += 1
            location = self._sources.definition(hooks[0]) if len(hooks) == 1 else None
            self._log.find(code, text, step=at[0], node=at[1], location=location)
        elif not text and code != "total_replaced":
            self._report_unreturned(hooks, at)

    def _report_unreturned(self, hooks: Sequence[Any], at: tuple[int, int]) -> None:
        """Report hooks whose source makes another gradient that torch does not get."""
        for hook in hooks:
            code = code_of(getattr(hook, "__func__", hook))
            if code is None or code in self._examined:
                continue
            self._examined.add(code)
            nodes = nodes_of(code)
            if not nodes or not isinstance(definition := nodes[0][0], ast.FunctionDef):
                continue
            line = unreturned_gradient(definition)
            if line is not None:
                self._reporter.report(
                    "no_effect",
                    say("finding.no_effect.hook", line=line.lineno, name=hook_name(hook)),
                    "warning",
                    step=at[0],
                    node=at[1],
                    location=self._sources.line(code, line.lineno),
                )


def hook_name(hook: Any) -> str:
    """Name of a hook's function or class."""
    return printable_text(
        str(getattr(hook, "__qualname__", type(hook).__qualname__)).split(".")[-1]
    )


def _has_elements(gradient: torch.Tensor) -> bool:
    """Whether the elements of a gradient can be read as real numbers."""
    return not (
        gradient.is_complex() or tensor_compat.is_wrapped(gradient) or unreadable_reason(gradient)
    )


def _is_compared(gradient: torch.Tensor) -> bool:
    """Whether the elements of a gradient are compared: its text has none, or rounded ones."""
    return gradient.numel() <= _MOST_COMPARED and _has_elements(gradient)


def _change_sentence(
    key: str, before: GradientView, after: GradientView, words: dict[str, str]
) -> str:
    """What hooks have changed in a gradient; empty for nothing."""
    difference = _difference(before.elements, after.elements)
    if difference is not None and not difference["count"]:
        return ""
    if difference is not None and after.text == before.text:
        return say(f"{key}.elements", **words, **difference)
    return say(key, before=before.text, after=after.text, **words)


def _difference(before: torch.Tensor | None, after: torch.Tensor | None) -> dict[str, Any] | None:
    """How many elements differ, of how many, and by how much at most; None if not comparable."""
    if before is None or after is None or before.shape != after.shape:
        return None
    # In float64, as in the text.
    old, new = (each.detach().cpu().double() for each in (before, after))
    changed = (old != new) & ~(old.isnan() & new.isnan())
    count = int(changed.sum())
    if not count:
        return {"count": 0}
    most = number_text(float((new - old)[changed].abs().max()))
    return {"count": format_count(count), "total": format_count(old.numel()), "most": most}
