"""Devices of this machine and the dtypes they support."""

from __future__ import annotations

import torch

from gradviz.catalogue.messages import say
from gradviz.protocol.messages import Device
from gradviz.recorder.accelerators import available_accelerator, has_float64
from gradviz.worker.user_errors import WorkError

CPU = Device(name="cpu", title="cpu", has_float64=True)


def devices() -> tuple[Device, ...]:
    """The CPU, followed by each accelerator that torch can use here."""
    kind = available_accelerator()
    if kind is None:
        return (CPU,)
    return (CPU, *(_device(kind.type, index) for index in range(torch.accelerator.device_count())))


def find_device(name: str) -> Device:
    """The device with a name; a kind alone means its first device.

    Raises:
        WorkError: If there is no such device.
    """
    known = devices()
    for device in known:
        if name in (device.name, device.name.partition(":")[0]):
            return device
    names = ", ".join(device.name for device in known)
    raise WorkError(say("device.unknown", name=f"{name!r:.60}", names=names))


def _device(kind: str, index: int) -> Device:
    name = f"{kind}:{index}"
    module = getattr(torch, kind, None)
    title = getattr(module, "get_device_name", None)
    shown = f"{name} ({title(index)})" if title is not None else name
    return Device(name=name, title=shown, has_float64=has_float64(torch.device(name)))
