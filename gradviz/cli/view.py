"""``gradviz view``: a trace or a scene in the window, at a place."""

from __future__ import annotations

import argparse

from gradviz.cli.traces import from_standard_input


def run(arguments: argparse.Namespace) -> int:
    """Show a place of a trace or scene in the window, after checking that both exist."""
    from gradviz.analysis.position.view_target import ViewTarget
    from gradviz.cli.subject import scene_or_trace
    from gradviz.cli.window import open_window

    with from_standard_input(arguments.subject) as word:
        subject = scene_or_trace(word)
        target = ViewTarget(
            scene=subject if isinstance(subject, str) else "",
            trace="" if isinstance(subject, str) else str(subject.absolute()),
            step="" if arguments.step is None else str(arguments.step),
            tab=arguments.tab,
        )
        return open_window([], target, theme=arguments.theme, size=arguments.size)
