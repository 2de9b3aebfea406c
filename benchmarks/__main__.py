"""Runs all benchmarks, or only the named ones, and prints each result with its limit."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("recording", "source_lines", "jacobians", "pictures", "window")


def main(names: list[str]) -> int:
    """Prints one line per result; a missed limit is reported but does not fail the run."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"Unknown benchmark: {', '.join(unknown)}. Choose from: {', '.join(NAMES)}.")
        return 2
    for name in names or NAMES:
        print(f"== {name}", flush=True)
        for line in import_module(f"benchmarks.{name}").lines():
            print(line.text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
