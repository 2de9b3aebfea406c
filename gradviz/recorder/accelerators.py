"""What torch offers beside the CPU: the accelerator of this machine, whatever its kind."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from types import ModuleType

import torch


def available_accelerator() -> torch.device | None:
    """The kind of the accelerator, as a device without an index; None if there is none."""
    return torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None


def accelerator_in_use() -> tuple[torch.device, ...]:
    """The devices of the accelerator if this process uses it; asking does not initialize it."""
    kind = torch.accelerator.current_accelerator()
    module = None if kind is None else _module(kind)
    if kind is None or module is None:
        return ()
    # Apple's GPUs have nothing to initialize, and no such function.
    is_in_use = getattr(module, "is_initialized", torch.accelerator.is_available)
    count = torch.accelerator.device_count() if is_in_use() else 0
    return tuple(torch.device(kind.type, index) for index in range(count))


RandomStates = tuple[tuple[torch.device, torch.Tensor], ...]


def random_states() -> RandomStates:
    """The states of torch's random generators, of the CPU and of an accelerator in use."""
    devices = [each for each in accelerator_in_use() if hasattr(_module(each), "get_rng_state")]
    states = [(each, torch.get_device_module(each).get_rng_state(each)) for each in devices]
    return ((torch.device("cpu"), torch.get_rng_state()), *states)


def restore_random_states(states: RandomStates) -> None:
    """Return to states that `random_states` has read."""
    for device, state in states:
        if device.type == "cpu":
            torch.set_rng_state(state)
        else:
            torch.get_device_module(device).set_rng_state(state, device)


def is_capturing(device: torch.device) -> bool:
    """Whether this thread captures a graph of a device's work, as in ``torch.cuda.graph``.

    Until the capture ends, its memory must neither be read nor waited for.
    """
    asked = getattr(_module(device), "is_current_stream_capturing", None)
    return asked is not None and bool(asked())


def wait_for(devices: Iterable[torch.device]) -> bool:
    """Wait until accelerators have finished all queued work.

    Returns:
        False if that is impossible, for example while a graph is captured.
    """
    try:
        for device in devices:
            if is_capturing(device):
                return False
            torch.accelerator.synchronize(device)
    except (RuntimeError, ValueError):
        # The next call of the run raises a kernel's error again, where it belongs.
        return False
    return True


@functools.cache
def has_float64(device: torch.device) -> bool:
    """Whether a device computes in float64, which is tried once.

    Every device of CUDA does; an attempt would reserve memory on it.
    """
    if device.type in ("cpu", "cuda", "meta"):
        return True
    try:
        one = torch.ones((), dtype=torch.float64, device=device)
        return (one + one).item() == 2
    except (RuntimeError, TypeError):
        return False


def _module(device: torch.device) -> ModuleType | None:
    """Torch's module for a kind of device; None if its extension registers none."""
    return getattr(torch, device.type, None)
