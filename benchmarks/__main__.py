"""Runs all benchmarks, or only the named ones, and prints each result with its limit."""

from __future__ import annotations

import os
import sys
from importlib import import_module

NAMES = ("recording", "source_lines", "jacobians", "pictures", "growth", "window")
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def main(names: list[str]) -> int:
    """Prints one line per result; a missed limit is reported but does not fail the run."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"Unknown benchmark: {', '.join(unknown)}. Choose from: {', '.join(NAMES)}.")
        return 2
    # Before torch is imported, here and in the programs that benchmarks start: with several
    # threads, CPU times count threads that wait for each other.
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    print("Times are medians, with the minimum in parentheses. Torch has one thread.")
    for name in names or NAMES:
        print(f"== {name}", flush=True)
        for line in import_module(f"benchmarks.{name}").lines():
            print(line.text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
