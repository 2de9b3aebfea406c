"""Prints the CPU seconds of a workload's first step in this process, ``plain`` or ``recorded``.

With ``recorded``, they include the import of gradviz, as in a program that has built its model.
"""

from __future__ import annotations

import sys
import tempfile

from benchmarks.line import seconds_of
from benchmarks.workloads import WORKLOADS, Step


def main(name: str, how: str) -> None:
    """Measures the step and prints the result."""
    step = WORKLOADS[name]()
    with tempfile.TemporaryDirectory() as folder:
        work = step if how == "plain" else lambda: _record(step, f"{folder}/run.gradviz")
        print(seconds_of(work))


def _record(step: Step, path: str) -> None:
    import gradviz

    with gradviz.record(path):
        step()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
