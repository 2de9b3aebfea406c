"""Runs the benchmarks, or those whose names are given, and prints each line beside its bar."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("recording", "source_lines", "jacobians", "pictures", "window")


def main(names: list[str]) -> int:
    """Prints one line for each benchmark; a missed bar is listed, and no failure."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}.")
        return 2
    for name in names or NAMES:
        print(f"== {name}", flush=True)
        for line in import_module(f"benchmarks.{name}").lines():
            print(line.text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
