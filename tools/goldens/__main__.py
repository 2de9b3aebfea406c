"""``make goldens``: writes what the exports and the window make of every scene and six programs.

With ``--against COMMIT``, the same is made of that commit by its own code, and what differs is
told. The exports are the contract: a change that only moves code changes none of them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from gradviz.gallery.registry import SCENES
from tools.goldens.difference import report
from tools.goldens.exports import write_exports
from tools.goldens.grabs import write_grabs
from tools.goldens.runs import PROGRAMS, record_program, record_scene
from tools.goldens.steady import make_steady

_ROOT = Path(__file__).resolve().parents[2]
_OUTPUT = _ROOT / "build" / "goldens"


def write(folder: Path, names: list[str], *, with_grabs: bool) -> None:
    """Record the named scenes and programs, and write a folder for each."""
    with tempfile.TemporaryDirectory(prefix="gradviz-goldens-") as work:
        traces = {}
        for name in names:
            record = record_program if name in PROGRAMS else record_scene
            traces[name] = record(name, Path(work))
            make_steady(traces[name])
            write_exports(traces[name], folder / name)
        if with_grabs:
            write_grabs(traces, folder)


def write_of_commit(commit: str, folder: Path, arguments: list[str]) -> None:
    """Check a commit out beside this one, and let its own code write its goldens.

    Raises:
        subprocess.CalledProcessError: If there is no such commit, or it cannot write them.
    """
    with tempfile.TemporaryDirectory(prefix="gradviz-goldens-") as work:
        tree = Path(work, "tree")
        git = ["git", "-C", str(_ROOT), "worktree"]
        subprocess.run(
            [*git, "add", "--quiet", "--detach", str(tree), commit],
            stdin=subprocess.DEVNULL,
            check=True,
        )
        try:
            subprocess.run(
                [sys.executable, "-m", "tools.goldens", *arguments, "--output", str(folder)],
                stdin=subprocess.DEVNULL,
                cwd=tree,
                env={**os.environ, "PYTHONPATH": str(tree)},
                check=True,
            )
        finally:
            subprocess.run(
                [*git, "remove", "--force", str(tree)], stdin=subprocess.DEVNULL, check=True
            )


def main() -> int:
    """Returns 1 if something differs from the other commit."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    parser = argparse.ArgumentParser(prog="tools.goldens")
    parser.add_argument("names", nargs="*", help="scenes and programs; all if there is none")
    parser.add_argument("--against", metavar="COMMIT", help="compare with the goldens of a commit")
    parser.add_argument("--no-grabs", action="store_true", help="no pictures of the window")
    parser.add_argument("--output", type=Path, default=_OUTPUT / "now", metavar="FOLDER")
    arguments = parser.parse_args()
    names = arguments.names or [*(scene.id for scene in SCENES), *PROGRAMS]
    output: Path = arguments.output.resolve()
    write(output, names, with_grabs=not arguments.no_grabs)
    if arguments.against is None:
        return 0
    passed = [*names, *(["--no-grabs"] if arguments.no_grabs else [])]
    before = output.with_name("before")
    write_of_commit(arguments.against, before, passed)
    lines = report(before, output)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
