"""Measures what a window's process holds: memory, threads, files, children, widgets, objects."""

from __future__ import annotations

import ctypes
import gc
from collections import Counter, defaultdict
from pathlib import Path

import psutil
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtGui import QPixmapCache
from PySide6.QtWidgets import QApplication

from tests.soak.verdict import Allowance

ALLOWANCES = {
    "memory": Allowance(absolute=16 << 20, share=0.03),
    "threads": Allowance(absolute=4),
    "handles": Allowance(absolute=4),
    "children": Allowance(absolute=1),
    "files": Allowance(absolute=4),
    "file bytes": Allowance(absolute=1 << 20),
    "shared": Allowance(absolute=1),
    "windows": Allowance(absolute=1),
    "widgets": Allowance(absolute=20, share=0.01),
    "wrappers": Allowance(absolute=100, share=0.02),
    "objects": Allowance(absolute=5_000, share=0.01),
    "frozen": Allowance(absolute=20_000, share=0.05),
    "Qt": Allowance(absolute=20, share=0.05),
    "type": Allowance(absolute=100, share=0.05),
}
"""Allowed growth of each quantity; ``Qt`` and ``type`` stand for those of one class."""

OF_OBJECTS = ("objects", "frozen", "Qt", "type")
"""Quantities that grow until everything has been shown once."""

PRINTED = (
    "children",
    "threads",
    "handles",
    "files",
    "shared",
    "windows",
    "widgets",
    "wrappers",
    "objects",
    "frozen",
)
_SHARED, _OF_TORCH = Path("/dev/shm"), ("torch_", "psm_", "sem.")


class Sampler:
    """Takes samples of this process.

    Args:
        folder: The folder of temporary files that this process and its children use.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = psutil.Process()
        self._samples: list[dict[str, float]] = []
        self._untrimmed = 0

    def take(self) -> None:
        """Take a sample, and keep it for `series`."""
        # The window's own policy collects now and then; garbage is no leak.
        gc.collect()
        process = self._process
        sample: dict[str, float] = {}
        self._untrimmed = _own_bytes(process)
        # Nor is a cache with a limit, or freed memory that the allocator keeps between blocks.
        QPixmapCache.clear()
        _trim_heap()
        sample["memory"] = _own_bytes(process)
        sample["children"] = len(process.children(recursive=True))
        sample["threads"] = process.num_threads()
        sample["handles"] = process.num_fds() if psutil.POSIX else process.num_handles()
        files = [each.stat().st_size for each in self._folder.rglob("*") if each.is_file()]
        sample["files"], sample["file bytes"] = len(files), sum(files)
        sample["shared"] = sum(each.name.startswith(_OF_TORCH) for each in _SHARED.glob("*"))
        sample |= _qt_objects() | _python_objects()
        self._samples.append(sample)

    @property
    def series(self) -> dict[str, list[float]]:
        """All samples of each quantity; what a sample lacks is 0."""
        series: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * len(self._samples))
        for at, sample in enumerate(self._samples):
            for name, value in sample.items():
                series[name][at] = value
        return dict(series)

    def line(self) -> str:
        """Format the main quantities of the last sample."""
        sample = self._samples[-1]
        memory, untrimmed = (each / (1 << 20) for each in (sample["memory"], self._untrimmed))
        rest = (f"{name} {sample[name]:,.0f}" for name in PRINTED)
        return ", ".join([f"memory {memory:,.1f} MiB ({untrimmed:,.1f} untrimmed)", *rest])


def _own_bytes(process: psutil.Process) -> int:
    """Memory that only this process has.

    Without unchanged pages of libraries where these can be told: they count as the process's own
    (in USS) as soon as no other process uses the same library.
    """
    if psutil.LINUX:
        return sum(each.private_dirty for each in process.memory_maps())
    return int(process.memory_full_info().uss)


def _trim_heap() -> None:
    """Return unused memory to the system, where the C library has a function for it (glibc)."""
    if psutil.LINUX and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def _qt_objects() -> dict[str, float]:
    wrappers = shiboken6.getAllValidWrappers()
    kinds = Counter(type(each).__name__ for each in wrappers if isinstance(each, QObject))
    return {
        "windows": len(QApplication.topLevelWidgets()),
        "widgets": len(QApplication.allWidgets()),
        "wrappers": len(wrappers),
        **{f"Qt: {name}": count for name, count in kinds.items()},
    }


def _python_objects() -> dict[str, float]:
    objects = gc.get_objects()
    kinds = Counter(map(type, objects))
    named: Counter[str] = Counter()
    for kind, count in kinds.items():
        named[f"type: {kind.__module__}.{kind.__qualname__}"] += count
    # What the window's policy has frozen is not listed, only counted.
    return {"objects": len(objects), "frozen": gc.get_freeze_count(), **named}
