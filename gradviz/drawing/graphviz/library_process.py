"""Graphviz library as a child process: DOT on stdin, JSON layout on stdout.

The library prints warnings, may call ``exit`` or crash, and holds the GIL while it works. So it is
imported only here, and this module only runs in a separate process.
"""

from __future__ import annotations

import sys

import pygraphviz


def main() -> int:
    """Read DOT from stdin and write its layout as json0 to stdout."""
    source = sys.stdin.buffer.read().decode("utf-8")
    graph = pygraphviz.AGraph(string=source)
    sys.stdout.buffer.write(graph.draw(format="json0", prog="dot"))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
