"""Preparation of an ``nn.Module``: its state dict, and train or eval mode."""

from __future__ import annotations

from typing import Any, Literal

from torch import nn

from gradviz.catalogue.messages import say, say_list
from gradviz.model.inputs import (
    GIVEN_SETUP,
    STATE_SUFFIXES,
    ModuleSetup,
    is_state_file,
    parse_input_file,
)
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.worker.input_file import read_state_dict
from gradviz.worker.signature import CallTarget
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error

_MISFIT = "Error(s)"
"""How torch begins to list the keys and shapes that differ."""

_MOST_CHARACTERS = 1000


def mode_of(thing: Any) -> Literal["", "train", "eval", "mixed"]:
    """Mode of a module and its submodules; empty for anything else."""
    if not isinstance(thing, nn.Module):
        return ""
    found = {each.training for each in thing.modules()}
    return "mixed" if len(found) > 1 else "train" if thing.training else "eval"


@calls_user_code
def set_up(target: CallTarget, setup: ModuleSetup) -> tuple[str, ...]:
    """Set up a module before its call; one sentence for each thing that was done.

    Raises:
        WorkError: If it is not a module, or its state dict cannot be loaded.
    """
    if setup == GIVEN_SETUP:
        return ()
    module, notes = target.thing, []
    if not isinstance(module, nn.Module):
        raise WorkError(say("module.no_module", name=target.name))
    if setup.state_dict:
        notes.append(_load_state(target, module, setup.state_dict))
    if setup.mode != "given":
        with CaughtError() as caught:
            module.train(setup.mode == "train")
        if caught.error is not None:
            reason = describe_error(caught.error, target.path)
            key = "module.mode.failed"
            raise WorkError(say(key, name=target.name, mode=setup.mode, reason=reason))
        notes.append(say("module.mode", name=target.name, mode=setup.mode))
    return tuple(notes)


@calls_user_code
def _load_state(target: CallTarget, module: nn.Module, text: str) -> str:
    file = parse_input_file(text)
    if file is None or not is_state_file(text):
        suffixes = say_list(STATE_SUFFIXES, "or")
        raise WorkError(say("module.file", text=f"{text!r:.200}", suffixes=suffixes))
    state = read_state_dict(file)
    with CaughtError() as caught:
        module.load_state_dict(state)
    if caught.error is not None:
        problem, reason = _why_not_loaded(caught.error, target)
        raise WorkError(say(problem, path=text, name=target.name, reason=reason))
    return say("module.loaded", name=target.name, path=text)


def _why_not_loaded(error: BaseException, target: CallTarget) -> tuple[str, str]:
    """The message and the reason; where keys or shapes differ, torch's own words for them."""
    words = " ".join(str(error).split()) if type(error) is RuntimeError else ""
    if not words.startswith(_MISFIT):
        return "module.failed", describe_error(error, target.path)
    reason = words.partition(": ")[2]
    is_long = len(reason) > _MOST_CHARACTERS
    return "module.misfit", f"{reason[:_MOST_CHARACTERS]}..." if is_long else reason
