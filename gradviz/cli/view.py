"""``gradviz view``: a trace or a scene in the window, at a place."""

from __future__ import annotations

import argparse


def run(arguments: argparse.Namespace) -> int:
    """Show a place of a trace or scene in the window, after checking that both exist."""
    from gradviz.analysis.position.view_target import ViewTarget
    from gradviz.cli.errors import UsageError
    from gradviz.cli.window import open_window
    from gradviz.gallery.registry import UnknownSceneError, scene
    from gradviz.store.header import read_header

    # A file that is not a trace then ends in an error here, not in an empty window.
    try:
        if arguments.scene is not None:
            scene(arguments.scene)
        else:
            read_header(arguments.trace)
    except UnknownSceneError as error:
        raise UsageError(str(error)) from None
    target = ViewTarget(
        scene=arguments.scene or "",
        trace="" if arguments.scene is not None else str(arguments.trace.absolute()),
        step="" if arguments.step is None else str(arguments.step),
        tab=arguments.tab,
    )
    return open_window([], target)
