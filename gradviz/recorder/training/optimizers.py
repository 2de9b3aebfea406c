"""Recording of optimizer steps: parameters before and after, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace
from torch.optim import optimizer as torch_optimizer

from gradviz.model.item import Item, none_item, object_item
from gradviz.model.step import OptimizerStep
from gradviz.recorder.autograd_graph import is_torch_class
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.safe_text import class_name, printable_text, printable_value
from gradviz.recorder.sources import caller
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import unreadable_reason

_NO_SETTINGS = frozenset(("params", "param_names"))
_MOST_SETTINGS = 100
"""A scheduler gives each step other settings."""


class OpenOptimizer(Struct):
    """A call of ``step`` in progress.

    Attributes:
        number: Number of the step; 0 if it is assigned only at the end.
        late: Whether its gradients are known only at the end, because a closure computes them or a
            hook of the run may change them.
        plain: Whether it runs no code but torch's.
    """

    number: int
    late: bool
    plain: bool
    record: OptimizerStep


class OptimizerRecorder(Recorder):
    """Follows optimizers through torch's global hooks around ``step``.

    A step with a closure runs passes itself. It gets its number when it returns, so it comes after
    these passes: that is when it updates the parameters.

    Attributes:
        any: Whether there was a step.
    """

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self.any = False
        self._open: dict[int, OpenOptimizer] = {}
        # By the ids of names and values, with these: another object could get the same one.
        self._settings: dict[tuple[int, ...], tuple[dict[str, Any], dict[str, Item]]] = {}
        self._handles: list[Any] = []

    def install(self) -> None:
        """Register the global hooks if they are not registered."""
        self._handles = self._handles or [
            torch_optimizer.register_optimizer_step_pre_hook(self._before),
            torch_optimizer.register_optimizer_step_post_hook(self._after),
        ]

    def remove(self) -> None:
        """Remove the global hooks."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    @property
    def is_updating(self) -> bool:
        """Whether an optimizer updates its parameters, which its own step records."""
        return bool(self._open and [entry for entry in self._open.values() if entry.number])

    @property
    def is_idle(self) -> bool:
        """Whether no optimizer step is open."""
        return not self._open

    def abandon_open_records(self) -> None:
        """Leave open steps unfinished, because the run has raised."""
        for key in list(self._open):
            self._abandon(key)

    @within_error_boundary
    def _before(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if not self._log.alive:
            return
        frame = caller()
        with self._log.lock, disabled_torch_modes():
            if self._log.awaits_call or not self._log.accepts_call():
                return
            with_closure = any(map(callable, (*args[1:], *kwargs.values())))
            # Its passes come after those before, at which the recording may have ended.
            if with_closure and not self._log.announce_call():
                return
            self.any = True
            # A step that raised has never reached the hook after it.
            self._abandon(id(optimizer))
            parameters = parameters_of(optimizer)
            names = self._names_of(optimizer, parameters)
            record = OptimizerStep(
                number=0,
                finished=False,
                started_ns=self._log.now(),
                duration_ns=0,
                pass_id=None,
                optimizer=class_name(type(optimizer)),
                settings=self._settings_of(optimizer),
                before=self._tensors.items(names, parameters),
                gradients=self._gradients(names, parameters),
                after=(),
                location=self._sources.at(frame),
            )
            late = with_closure or bool(getattr(optimizer, "_optimizer_step_pre_hooks", None))
            plain = (
                not late
                and is_torch_class(type(optimizer))
                and not getattr(optimizer, "_optimizer_step_post_hooks", None)
                and tensor_compat.OWN_CLASSES.issuperset(map(type, parameters))
            )
            entry = OpenOptimizer(0, late, plain, record)
            self._open[id(optimizer)] = entry
            if not with_closure:
                self._number(entry)
            self._thread_states.current().is_updating = plain

    @within_error_boundary
    def _after(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        with self._log.lock, disabled_torch_modes():
            self._thread_states.current().is_updating = False
            entry = self._open.pop(id(optimizer), None) if self._log.alive else None
            if entry is None:
                return
            begun = entry.record
            parameters, before = parameters_of(optimizer), begun.before
            if len(parameters) != len(before):
                # It was given other parameters during the step, so they cannot be matched.
                self._open[id(optimizer)] = entry
                self._abandon(id(optimizer))
                return
            if not entry.plain:
                # A closure may be the first to run the model, which has the names.
                known = zip(before, self._names_of(optimizer, parameters), strict=True)
                before = tuple([replace(each, name=name) for each, name in known])
            names = tuple([each.name for each in before])
            self._number(entry)
            self._tensors.known.note_silent_writes(_silently_written(optimizer, parameters))
            ended = replace(
                begun,
                number=entry.number,
                finished=True,
                duration_ns=self._log.now() - begun.started_ns,
                before=before,
                gradients=(self._gradients(names, parameters) if entry.late else begun.gradients),
                after=self._tensors.items(names, parameters),
            )
            self._log.end(entry.number, ended)

    def _abandon(self, key: int) -> None:
        entry = self._open.pop(key, None)
        if entry is not None:
            self._number(entry)
            self._log.abandon(entry.number)

    def _number(self, entry: OpenOptimizer) -> None:
        if not entry.number:
            entry.number = self._log.begin(lambda: replace(entry.record, number=entry.number))

    def _gradients(
        self, names: tuple[str, ...], parameters: tuple[torch.Tensor, ...]
    ) -> tuple[Item, ...]:
        return tuple(
            [
                none_item(name) if each.grad is None else self._tensors.item(name, each.grad)
                for name, each in zip(names, parameters, strict=True)
            ]
        )

    def _names_of(self, optimizer: Any, parameters: tuple[torch.Tensor, ...]) -> tuple[str, ...]:
        all_names: list[str] = []
        for group in optimizer.param_groups:
            given = group.get("param_names")
            all_names += given if given is not None else [""] * len(group["params"])
        return tuple(
            [
                self._names.unique_leaf_name(each)
                or printable_text(name)
                or f"parameter {position}"
                for position, (each, name) in enumerate(zip(parameters, all_names, strict=True))
            ]
        )

    def _settings_of(self, optimizer: Any) -> tuple[Item, ...]:
        """All settings of the first group, and those of further groups that differ from it."""
        first, *further = [self._group(each) for each in optimizer.param_groups] or [{}]
        items = list(first.values())
        for position, group in enumerate(further, start=2):
            items += [
                replace(item, name=f"{key} (group {position})")
                for key, item in group.items()
                if item != first.get(key)
            ]
        return tuple(items)

    def _group(self, group: dict[str, Any]) -> dict[str, Item]:
        """The settings of a group, which are read again only if one has another value."""
        own = dict(group.items())
        for name in _NO_SETTINGS:
            own.pop(name, None)
        key = (*map(id, own), *map(id, own.values()))
        known = self._settings.get(key)
        if known is not None:
            return known[1]
        texts = [printable_text(str(name)) for name in own]
        found = {text: _setting(text, own[name]) for text, name in zip(texts, own, strict=True)}
        if {str}.issuperset(map(type, own)) and all(map(_is_constant, own.values())):
            if len(self._settings) > _MOST_SETTINGS:
                self._settings.clear()
            self._settings[key] = own, found
        return found


def parameters_of(optimizer: Any) -> tuple[torch.Tensor, ...]:
    """All parameters of an optimizer, group by group."""
    return tuple([each for group in optimizer.param_groups for each in group["params"]])


def _is_constant(value: Any) -> bool:
    """Whether a setting is the same as long as it is the same object."""
    kind = type(value)
    return kind in _CONSTANTS or (kind is tuple and all(map(_is_constant, value)))


_CONSTANTS = frozenset((bool, int, float, complex, str, type(None)))


def _setting(name: str, value: Any) -> Item:
    if isinstance(value, torch.Tensor) and value.numel() == 1 and not unreadable_reason(value):
        value = value.item()
    return none_item(name) if value is None else object_item(name, printable_value(value))


def _silently_written(optimizer: Any, parameters: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """What a fused step has written, which moves no version counters."""
    if not [group for group in optimizer.param_groups if group.get("fused")]:
        return []
    updated = [each for each in parameters if each.grad is not None]
    states = [value for each in updated for value in optimizer.state.get(each, {}).values()]
    scale = getattr(optimizer, "grad_scale", None)
    # The arguments of torch's functions for such steps, in their order.
    given = (updated, [each.grad for each in updated], states, scale)
    return tensor_compat.silently_written("_fused_", given)
