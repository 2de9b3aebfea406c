"""The options ``--format`` and ``--output``, which are the same for every verb."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gradviz.catalogue.messages import say


def add_format_option(
    parser: argparse._ActionsContainer, formats: Sequence[str] = ("text", "json"), *, text: str = ""
) -> None:
    """Add ``--format``, which is the first one by default.

    Args:
        parser: Receives the option.
        formats: What can be printed.
        text: The help; empty for the usual one.
    """
    text = text or say("help.format")
    parser.add_argument("--format", choices=formats, default=formats[0], help=text)


def add_output_option(
    parser: argparse._ActionsContainer,
    text: str,
    *,
    required: bool = False,
    repeated: bool = False,
) -> None:
    """Add ``-o``, whose value is the path of the file to write.

    Args:
        parser: Receives the option.
        text: Its help.
        required: Whether nothing can be written without it.
        repeated: Whether several files can be written; the value is then a list.
    """
    parser.add_argument(
        *("-o", "--output"),
        action="append" if repeated else "store",
        default=[] if repeated else None,
        type=Path,
        metavar="OUT",
        required=required,
        help=text,
    )
