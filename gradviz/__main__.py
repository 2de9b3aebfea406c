"""Entry point of `gradviz` and `python -m gradviz`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from gradviz.cli.main import main as run_command_line

    return run_command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
