"""Lays out one graph with the Graphviz library: DOT on stdin, JSON on stdout; runs as a child.

The library writes warnings, may call ``exit`` or crash, and holds Python's lock while it works:
so it is imported here and nowhere else, and this module is only ever run in a process of its own.
"""

from __future__ import annotations

import sys

import pygraphviz


def main() -> int:
    """Reads DOT, writes json0."""
    source = sys.stdin.buffer.read().decode("utf-8")
    graph = pygraphviz.AGraph(string=source)
    sys.stdout.buffer.write(graph.draw(format="json0", prog="dot"))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
