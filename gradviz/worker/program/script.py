"""Runs of a Python file as a script, with arguments from the Inputs form."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from gradviz.worker.program.main_module import run_as_main
from gradviz.worker.signature import CallTarget


def load_script(path: str) -> CallTarget:
    """What runs a file as ``__main__``, in its folder; nothing runs yet."""
    file = Path(path).absolute()

    def script(arguments: str) -> None:
        os.chdir(file.parent)
        try:
            run_as_main(file.name, shlex.split(arguments))
        except SystemExit as error:
            # A script may end this way, too.
            if error.code:
                raise

    return CallTarget(name="script", thing=script, call=script, path=str(file), line=0)
