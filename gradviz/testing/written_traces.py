"""The traces that a run of pytest writes, and what each is about."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gradviz.catalogue.messages import say
from gradviz.store.finalize import save_copy

REPORT_ATTRIBUTE = "gradviz_traces"
"""Attribute of a test's report with its traces, as `WrittenTraces.take_new` returns them."""

_MOST_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTrace:
    """One trace and its sentence.

    Attributes:
        test: Node id of the test.
        sentence: What the trace is about, and why it failed.
        path: Path of the trace; empty if none could be written.
        is_check: Whether it is about the Jacobians of a check in it.
    """

    test: str
    sentence: str
    path: str
    is_check: bool = False


class WrittenTraces:
    """Collects the traces of the running test until they are attached to its next report."""

    def __init__(self, folder: Path, worker: str) -> None:
        """Write into a folder, which is created with the first trace.

        Args:
            folder: The folder.
            worker: Name of this process among several that write there; empty for a single one.
        """
        self._folder = folder
        self._worker = worker
        self._temporary = tempfile.TemporaryDirectory(prefix="gradviz-")
        self._names: set[str] = set()
        self._new: list[WrittenTrace] = []
        self.test = ""

    def temporary(self, name: str) -> Path:
        """Path of a temporary trace; one of that name is removed."""
        path = Path(self._temporary.name) / f"{name}.gradviz"
        path.unlink(missing_ok=True)
        return path

    def keep(self, source: Path, sentence: str, *, is_check: bool = False) -> None:
        """Copy a trace of the running test, or of a check in it, into the folder.

        Raises:
            TraceError: If it cannot be written.
            OSError: If the folder cannot be created.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._new_name()}.gradviz"
        save_copy(source, path)
        written = WrittenTrace(test=self.test, sentence=sentence, path=str(path), is_check=is_check)
        self._new.append(written)

    @contextmanager
    def error_boundary(self, part: str) -> Iterator[None]:
        """Report an error in a block instead of raising it, so that the test ends as it would.

        Args:
            part: What the block examines.
        """
        try:
            yield
        except Exception as error:
            kind = type(error).__name__
            sentence = say("tests.undiagnosed", part=part, kind=kind, error=error)
            self._new.append(WrittenTrace(test=self.test, sentence=sentence, path=""))

    def take_new(self) -> list[dict[str, Any]]:
        """The traces since the last call, in a form that pytest can send between processes."""
        taken = [asdict(each) for each in self._new]
        self._new.clear()
        return taken

    def close(self) -> None:
        """Remove temporary traces."""
        self._temporary.cleanup()

    def _new_name(self) -> str:
        """A file name for the running test; a number follows if it is taken."""
        test = self.test.replace(".py::", "::")
        plain = re.sub(r"[^\w.]+", "-", test).strip("-")[-_MOST_CHARACTERS:]
        stem = name = f"{plain}-{self._worker}" if self._worker else plain
        number = 1
        while name in self._names:
            number += 1
            name = f"{stem}-{number}"
        self._names.add(name)
        return name
