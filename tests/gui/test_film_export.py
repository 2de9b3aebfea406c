"""File > Export Film: the film of the command line, with progress; cancelled, it leaves nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QMetaObject, Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QProgressBar, QPushButton

from gradviz.catalogue import optional_packages
from gradviz.catalogue.installation import install_command
from gradviz.cli.main import main
from gradviz.store.finalize import save_copy
from gradviz.store.replacement import replacing
from gradviz.viewer.files import run_export
from gradviz.viewer.files.run_export import FilmProgress
from tests.gui.conftest import WindowDriver
from tests.gui.test_unsaved_work import Answers, Button

pytest.importorskip("PIL", reason="needs the packages of the film extra")
pytest.importorskip("imageio_ffmpeg", reason="needs the packages of the film extra")


def export(driver: WindowDriver, target: Path, monkeypatch: pytest.MonkeyPatch) -> FilmProgress:
    """Start an export; returns its dialog."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    driver.window.commands.export_film.trigger()
    dialog = driver.window.findChild(FilmProgress)
    assert dialog is not None
    return dialog


def test_a_film_is_that_of_the_command_line(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.start()
    target = tmp_path / "<b>walk.gif"
    dialog = export(driver, target, monkeypatch)
    assert dialog.isVisible()
    assert not dialog.isModal()
    assert dialog.findChild(QLabel).text() == "Exporting <b>walk.gif"
    answers = Answers(driver)
    assert not answers.settle(Button.Cancel)
    assert answers.texts == ["The film <b>walk.gif is still being exported."]
    seen: list[int] = []
    dialog.findChild(QProgressBar).valueChanged.connect(seen.append)
    driver.wait()
    assert driver.window.messages.text == f"Saved {target}."
    assert answers.settle(), "nothing is lost now"
    assert seen == sorted(seen)
    assert seen[-1] == 23  # Eight steps are drawn, rendered and encoded, from 0.
    assert driver.window.findChild(FilmProgress) is None
    assert driver.session.trace_path is not None
    save_copy(driver.session.trace_path, tmp_path / "run.gradviz")
    assert main(["export", str(tmp_path / "run.gradviz"), "-o", str(tmp_path / "walk.gif")]) == 0
    assert target.read_bytes() == (tmp_path / "walk.gif").read_bytes()


@pytest.mark.parametrize(
    ("name", "enough"),
    [("walk.gif", 1), ("walk.gif", 8), ("walk.mp4", 17)],
    ids=["drawing", "rendering", "encoding"],
)
def test_a_cancelled_film_leaves_nothing(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, enough: int
) -> None:
    driver.start()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / name).write_text("old")
    dialog = export(driver, tmp_path / name, monkeypatch)
    bar, button = dialog.findChild(QProgressBar), dialog.findChild(QPushButton)
    bar.valueChanged.connect(lambda value: button.click() if value >= enough else None)
    driver.wait()
    assert {each.name for each in tmp_path.iterdir()} == {name, "temporary"}
    assert (tmp_path / name).read_text() == "old"
    assert list((tmp_path / "temporary").iterdir()) == []
    assert driver.window.messages.text == ""


@pytest.mark.parametrize("is_moved", [False, True], ids=["encoded", "moved"])
def test_a_film_that_is_cancelled_as_it_ends_is_discarded_or_reported(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_moved: bool
) -> None:
    driver.start()
    target = tmp_path / "walk.gif"
    write = run_export.write_film

    def cancel() -> None:
        button = driver.window.findChild(FilmProgress).findChild(QPushButton)
        QMetaObject.invokeMethod(button, "click", Qt.ConnectionType.BlockingQueuedConnection)

    def encode(*arguments: object, **options: object) -> None:
        write(*arguments, **options)
        cancel()

    @contextmanager
    def move(path: Path) -> Iterator[Path]:
        with replacing(path) as aside:
            yield aside
            cancel()

    if is_moved:
        monkeypatch.setattr(run_export, "replacing", move)
    else:
        monkeypatch.setattr(run_export, "write_film", encode)
    export(driver, target, monkeypatch)
    driver.wait()
    assert target.exists() == is_moved
    assert driver.window.messages.text == (f"Saved {target}." if is_moved else "")
    assert driver.window.findChild(FilmProgress) is None


@pytest.mark.quick
def test_missing_packages_are_named_before_a_path_is_asked_for(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.start()
    found = optional_packages.find_spec
    monkeypatch.setattr(
        optional_packages, "find_spec", lambda name: None if name == "PIL" else found(name)
    )
    driver.window.commands.export_film.trigger()
    assert install_command("film") in driver.window.messages.text
    assert driver.window.findChild(FilmProgress) is None
