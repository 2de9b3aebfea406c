"""Which devices this machine has, and what they can hold."""

from __future__ import annotations

import torch

from gradviz.protocol.messages import Device

CPU = Device(name="cpu", title="cpu", has_float64=True)


class DeviceError(ValueError):
    """A device that is not there; the message is for people."""


def devices() -> tuple[Device, ...]:
    """The CPU, then each accelerator that torch can use here."""
    if not torch.accelerator.is_available():
        return (CPU,)
    kind = torch.accelerator.current_accelerator()
    if kind is None:
        return (CPU,)
    return (CPU, *(_device(kind.type, index) for index in range(torch.accelerator.device_count())))


def find_device(name: str) -> Device:
    """The device of that name; ``cuda`` means its first.

    Raises:
        DeviceError: If there is none.
    """
    known = devices()
    for device in known:
        if name in (device.name, device.name.partition(":")[0]):
            return device
    names = ", ".join(device.name for device in known)
    raise DeviceError(f"There is no device {name!r:.60} on this machine; there are: {names}.")


def _device(kind: str, index: int) -> Device:
    name = f"{kind}:{index}"
    module = getattr(torch, kind, None)
    title = getattr(module, "get_device_name", None)
    shown = f"{name} ({title(index)})" if title is not None else name
    # Apple's GPU is the one that torch knows to have none.
    return Device(name=name, title=shown, has_float64=kind != "mps")
