"""Search for the user's line in faulthandler's output on stderr."""

from __future__ import annotations

import os
import re

from gradviz.catalogue.messages import say
from gradviz.host.job_ending import CodeLine
from gradviz.protocol.messages import ChildRequest, DescribeRequest

# Python's own tracebacks have a comma before "in", so they do not match.
_FRAME = re.compile(r'^ +File "(.+)", line (\d+) in (.+)$', re.MULTILINE)
_STACK = re.compile(r"\(most recent call first\):$", re.MULTILINE)
_SCENES = re.compile(r"[/\\]gradviz[/\\]gallery[/\\]scenes[/\\][^/\\]+$")


def code_line_in_stacks(text: str, path: str) -> CodeLine | None:
    """Innermost frame in the user's file, in the last stack that has one.

    Args:
        text: End of stderr.
        path: The user's file; empty for a gallery scene.
    """
    # faulthandler escapes characters that are not ASCII.
    wanted = os.path.abspath(path).encode("ascii", "backslashreplace").decode() if path else ""
    for stack in reversed(_STACK.split(text)[1:]):
        for file, line, function in _FRAME.findall(stack):
            if file == wanted or (not wanted and _SCENES.search(file)):
                return CodeLine(path=path or file, line=int(line), function=function)
    return None


def user_file_of(request: ChildRequest) -> str:
    """The user's file of a request; empty for a scene."""
    return request.path if isinstance(request, DescribeRequest) else request.offer.subject.path


def last_line(text: str) -> str:
    """Last non-empty line, cut to 300 characters and without its full stop."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300].rstrip(".") if lines else say("ending.no_reason")
