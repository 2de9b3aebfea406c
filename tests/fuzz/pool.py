"""Runs cases in worker processes, which are ended if a case hangs."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Self

from tests.fuzz.case import FuzzCase
from tests.fuzz.mutations import case_number

HANGS_S = 180.0
"""On a busy machine; the limit of a case is in the worker's own CPU time."""
_MOST_KEPT = 10_000
"""Bytes of stderr."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzRequest:
    """A case, and how it is looked at.

    Attributes:
        seed: The series that the case belongs to.
        number: Its number in it.
        given: The case, if it belongs to no series.
        draw: Whether Graphviz draws it.
        window: ``open`` to show it in a window, ``damaged`` to damage it only there.
    """

    seed: int = 0
    number: int
    given: FuzzCase | None = None
    draw: bool = False
    window: str = ""

    @property
    def case(self) -> FuzzCase:
        """The damaged trace."""
        return self.given or case_number(self.seed, self.number)

    def message(self) -> bytes:
        """A line for the worker, which builds a case of a series itself: some are very long."""
        case = None if self.given is None else self.given.to_json()
        members = {"seed": self.seed, "number": self.number, "given": case}
        return json.dumps(members | {"draw": self.draw, "window": self.window}).encode() + b"\n"

    @classmethod
    def from_message(cls, line: str) -> Self:
        """The inverse of `message`."""
        found = json.loads(line)
        case = found.pop("given")
        return cls(given=None if case is None else FuzzCase.from_json(case), **found)


class FuzzWorker:
    """One process, which is started again after it has died."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it

    def problem(self, request: FuzzRequest) -> str:
        """What went wrong; empty if nothing."""
        child = self._child = self._child or self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(request.message())
        child.stdin.flush()
        ready, _, _ = select.select([child.stdout], [], [], HANGS_S)
        answer = child.stdout.readline() if ready else b""
        if answer:
            return str(json.loads(answer))
        problem = f"ended with code {child.wait()}" if ready else f"hung for {HANGS_S:.0f} s"
        self.end()
        self._errors.seek(0)
        written = self._errors.read()[-_MOST_KEPT:].decode(errors="replace")
        return f"{problem}\n{written}".rstrip()

    def _started(self) -> subprocess.Popen[bytes]:
        self._errors.truncate(0)
        environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
        command = [sys.executable, "-m", "tests.fuzz.worker"]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=Path(__file__).parents[2],
            env=environment,
        )

    def close(self) -> None:
        """End the process and forget what it wrote."""
        self.end()
        self._errors.close()

    def end(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is None:
            return
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.close()
            child.wait(10)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            child.kill()
            child.wait()
        child.stdout.close()


class FuzzPool:
    """Some workers that share the cases."""

    def __init__(self, count: int) -> None:
        self._workers = [FuzzWorker() for _ in range(count)]
        self._free: SimpleQueue[FuzzWorker] = SimpleQueue()
        for each in self._workers:
            self._free.put(each)
        self._threads = ThreadPoolExecutor(count)

    def problems(self, requests: Iterable[FuzzRequest]) -> Iterator[tuple[FuzzRequest, str]]:
        """Yield each request with what went wrong, in order."""
        requests = list(requests)
        yield from zip(requests, self._threads.map(self._run, requests), strict=True)

    def _run(self, request: FuzzRequest) -> str:
        worker = self._free.get()
        try:
            return worker.problem(request)
        finally:
            self._free.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._threads.shutdown(cancel_futures=True)
        for each in self._workers:
            each.close()
