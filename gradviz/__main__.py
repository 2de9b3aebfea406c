"""Entry point of `gradviz` and `python -m gradviz`."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line in the user's language and return its exit code."""
    from gradviz.catalogue.installation import name_clash
    from gradviz.catalogue.language import load_language, locale_language
    from gradviz.cli.main import main as run_command_line

    load_language(locale_language(os.environ))
    if clash := name_clash(sys.path):
        sys.stderr.write(f"{clash}\n")
    return run_command_line(sys.argv[1:])


def _leave_working_directory() -> None:
    """Import nothing from the folder in which ``python -m gradviz`` runs, such as a ``copy.py``."""
    try:
        here = os.getcwd()
    except FileNotFoundError:
        return
    if not sys.flags.safe_path and sys.path[:1] == [here] and not __file__.startswith(here):
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_directory()
    sys.exit(main())
