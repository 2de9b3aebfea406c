"""Graphviz library as a child process: DOT on stdin, JSON layout on stdout.

The library prints warnings, may call ``exit`` or crash, and holds the GIL while it works. So it is
imported only here, and this module only runs in a separate process.
"""

from __future__ import annotations

import sys

import pygraphviz


def main() -> int:
    """Read drawings in DOT from stdin, separated by NUL; write a layout as json0 for each."""
    for source in sys.stdin.buffer.read().decode("utf-8").split("\0"):
        graph = pygraphviz.AGraph(string=source)
        sys.stdout.buffer.write(graph.draw(format="json0", prog="dot"))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
