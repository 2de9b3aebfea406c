"""A zip file or a folder with a ``__main__.py`` runs recorded as it does without gradviz."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from gradviz.store.reader import open_trace
from tests.programs import run_program
from tests.sweeps import thinned

MAIN = """
import os
import sys
import helper

print(__name__, __file__, repr(__package__), __spec__.name, type(__loader__).__name__)
print(sys.argv, sys.path, sys.orig_argv[-2:], sorted(globals()), helper.__file__)
if "PLAIN" not in os.environ:
    import torch
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()
    print(x.grad.tolist())
raise SystemExit(3)
"""


@pytest.mark.parametrize("name", thinned(["app", "app.pyz"]))
def test_a_main_file_in_a_folder_or_zip_file_runs_as_without(name: str, tmp_path: Path) -> None:
    """Importing torch takes long, so that the plain run ends before it."""
    if name.endswith(".pyz"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("__main__.py", MAIN)
            archive.writestr("helper.py", "")
    else:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__main__.py").write_text(MAIN)
        (tmp_path / name / "helper.py").write_text("")
    recording = ("-m", "gradviz", "record", "-o", "out.gradviz")
    plain, recorded = (
        run_program(
            (sys.executable, "-B", *options, name, "word"), cwd=tmp_path, env=os.environ | variables
        )
        for options, variables in (((), {"PLAIN": "1"}), (recording, {}))
    )
    assert recorded.stdout == plain.stdout + "[2.0, 2.0]\n"
    assert (plain.stderr, plain.returncode, recorded.returncode) == ("", 3, 3)
    assert recorded.stderr.startswith("gradviz: Recorded")
    assert len(recorded.stderr.splitlines()) == 1
    with open_trace(tmp_path / "out.gradviz") as reader:
        assert reader.step_counts()["PassEndStep"] == 1
