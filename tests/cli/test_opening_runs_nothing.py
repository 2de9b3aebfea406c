"""No verb runs the content of a trace, a lesson or a text that it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.cli.main import main
from tests.builders import linear_trace, write_trace

NAMES = ("run.gradviz", "talk.gradviz-lesson", "a.py.gradviz", "notes.txt", "notes")
VERBS = (
    *("", "view", "steps", "check", "doctor", "screenshot -o x.png", "record -o x.gradviz"),
    *("export -o x.html", "export -o x.pdf", "lesson", "lesson --print", "compare first.gradviz"),
)


@pytest.mark.parametrize("verb", VERBS)
def test_no_content_of_data_is_run(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_trace(Path("first.gradviz"), linear_trace())
    # A broken lesson is refused in the window.
    monkeypatch.setattr("gradviz.cli.window.open_window", lambda *_, **__: 2)
    program = "import torch\nopen('PWNED', 'w')\ndef f(x):\n    return x\n"
    for name in NAMES:
        if verb.startswith("record") and "gradviz" not in name:
            # What a person names there is a program, as it is for Python.
            continue
        Path(name).write_text(program)
        for target in (name, f"{name}:f"):
            assert main([*verb.split(), target]) == 2, target
            said = capsys.readouterr()
            assert said.out == ""
            assert "bug" not in said.err, target
            assert not Path("PWNED").exists(), target
