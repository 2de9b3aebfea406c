"""``gradviz view``: a trace in the window."""

from __future__ import annotations

import argparse


def run(arguments: argparse.Namespace) -> int:
    """Open a trace in the window, after checking that it is a trace."""
    from gradviz.cli.window import open_window
    from gradviz.store.header import read_header

    # A file that is not a trace then ends in an error here, not in an empty window.
    read_header(arguments.trace)
    return open_window([arguments.trace])
