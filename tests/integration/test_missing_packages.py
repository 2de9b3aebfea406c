"""Without Qt gradviz records, without torch it shows traces, and it says what is missing."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import gradviz
from gradviz import pytest_plugin
from gradviz.catalogue import optional_packages
from gradviz.catalogue.installation import install_command
from gradviz.cli.main import main
from gradviz.host.svg_rendering import PictureError, write_png
from tests.builders import linear_trace, write_trace
from tests.programs import run_program

ROOT = Path(__file__).parents[2]
NO_WINDOW = f"The window needs PySide6. Install what is missing with: {install_command('view')}"
NO_TORCH = (
    "Running code needs torch, which is not installed."
    f" Install it with: {install_command('record')}"
)
# Python imports this module at its start, in child processes as well.
WITHOUT_TORCH = """
from importlib.machinery import PathFinder
found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name == "torch" else found(name, *rest)
"""
IN_A_VIEWER = """
import sys
import gradviz
from gradviz.cli.main import main
from gradviz.viewer.window_controller import WindowController, make_application

print(len(gradviz.load(sys.argv[1]).steps))
try:
    gradviz.check
except ModuleNotFoundError as error:
    print(error)
print(main(["record", "linear"]))

app = make_application([])
window = WindowController(app, "light")
session = window.session
endings = []
session.failed.connect(lambda problem: print("failed", problem))
session.ended.connect(lambda activity, ending: endings.append((activity, ending)))
window.window.start([])
while not endings or session.ready is None:
    app.processEvents()
print(session.shows_shipped, endings)
session.run(session.offer)
while len(endings) < 2:
    app.processEvents()
print(endings[1][1].sentence)
window.close()
"""


@pytest.fixture
def without_qt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PySide6", None)


@pytest.mark.usefixtures("without_qt")
@pytest.mark.parametrize(
    "words",
    [["linear"], ["view", "linear"], ["lesson", "lecture"], ["screenshot", "exp", "-o", "a.png"]],
)
def test_a_window_without_qt(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"gradviz: {NO_WINDOW}\n"


@pytest.mark.usefixtures("without_qt")
def test_a_recording_without_qt(tmp_path: Path) -> None:
    x = torch.ones(2, requires_grad=True)
    with gradviz.record() as recording:
        x.sum().backward()
    assert len(recording.trace.steps) == 5
    with pytest.raises(ModuleNotFoundError, match=re.escape(install_command("view"))):
        recording.show()
    with pytest.raises(PictureError, match=re.escape(install_command("view"))):
        write_png("<svg/>", tmp_path / "a.png")


@pytest.fixture
def never_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_arguments: object, **_options: object) -> None:
        pytest.fail("was recorded")

    monkeypatch.setattr("gradviz.host.pool.run_blocking", run)


@pytest.mark.usefixtures("never_recorded")
@pytest.mark.parametrize("missing", ["PIL", "imageio_ffmpeg", "PySide6"])
def test_a_film_without_its_packages(
    missing: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = SimpleNamespace()
    monkeypatch.setattr(
        optional_packages, "find_spec", lambda name: None if name == missing else found
    )
    assert main(["export", "linear", "-o", str(tmp_path / "a.gif")]) == 2
    said = f"Films need {missing}. Install what is missing with: {install_command('film')}"
    assert capsys.readouterr().err == f"gradviz: {said}\n"


@pytest.mark.usefixtures("never_recorded")
@pytest.mark.parametrize(
    ("subject", "name"),
    [
        *(("linear", f"a.{end}") for end in ("svg", "png", "pdf", "html", "gif")),
        ("own.gradviz-lesson", "a.pdf"),
    ],
)
def test_a_graph_without_graphviz(
    subject: str,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = optional_packages.find_spec
    monkeypatch.setattr(
        optional_packages, "find_spec", lambda each: None if each == "pygraphviz" else found(each)
    )
    monkeypatch.chdir(tmp_path)
    Path("own.gradviz-lesson").write_text('title = "A"\n[[stop]]\nscene = "linear"\n')
    command = ["export", subject, "-o", str(tmp_path / name)]
    with pytest.raises(pytest.fail.Exception, match="was recorded"):
        main(command)
    monkeypatch.setenv("PATH", "")
    assert main(command) == 2
    assert capsys.readouterr().err.endswith(
        "gradviz: Drawing a graph needs Graphviz: install it so that dot is on the PATH, or install"
        f" pygraphviz with: {install_command('draw')}\n"
    )


@pytest.mark.usefixtures("never_recorded")
def test_a_film_without_ffmpeg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    encoder = pytest.importorskip("gradviz.export.film.encoder", reason="needs the film extra")

    def missing() -> str:
        raise RuntimeError("No ffmpeg exe could be found.")

    monkeypatch.setattr(encoder, "get_ffmpeg_exe", missing)
    assert main(["export", "linear", "-o", str(tmp_path / "a.mp4")]) == 2
    assert "FFmpeg was not found." in capsys.readouterr().err


def test_the_pytest_plugin_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    config: Any = SimpleNamespace(known_args_namespace=SimpleNamespace(gradviz=True))
    with pytest.raises(pytest.UsageError, match=re.escape(install_command("record"))):
        pytest_plugin.pytest_load_initial_conftests(config)


@pytest.mark.real_workers
def test_a_viewer_without_torch(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_TORCH)
    trace = write_trace(tmp_path / "run.gradviz", linear_trace())
    done = run_program(
        [sys.executable, "-c", IN_A_VIEWER, str(trace)],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
    )
    shown = "True [('running', None)]"
    assert done.stdout.splitlines() == ["8", NO_TORCH, "2", shown, NO_TORCH]
    assert done.stderr == f"gradviz: {NO_TORCH}\n"
