"""``gradviz guide``: the guide's contents, or one of its pages."""

from __future__ import annotations

import argparse

from gradviz.catalogue.language import current_language
from gradviz.cli import output
from gradviz.cli.arguments import VerbArguments
from gradviz.cli.errors import UsageError


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    add("page", nargs="?", metavar="PAGE")


def run(arguments: argparse.Namespace) -> int:
    """Print a page as plain text, with formulas as LaTeX; without a name, list the pages."""
    from gradviz.gallery.guide.contents import UnknownPageError
    from gradviz.gallery.guide.pages import page, pages_about
    from gradviz.gallery.guide.plain_text import text_lines

    if arguments.page is None:
        _print_contents()
        return 0
    language = current_language()
    try:
        found = page(arguments.page, language)
    except UnknownPageError as error:
        about = pages_about(arguments.page, language)
        if not about:
            raise UsageError(str(error)) from None
        found = page(about[0], language)
    for line in text_lines(found):
        output.say(line)
    return 0


def _print_contents() -> None:
    from gradviz.gallery.guide.contents import CHAPTERS, PAGES
    from gradviz.gallery.guide.pages import page_title

    width, language = max(map(len, PAGES)), current_language()
    for chapter in CHAPTERS:
        output.say(f"{chapter.id:<{width + 2}}  {page_title(chapter.id, language)}")
        for name in chapter.pages[1:]:
            output.say(f"  {name:<{width}}  {page_title(name, language)}")
