"""Desktop entry, icons and file type: installed for the user, found, and removed."""

from __future__ import annotations

import configparser
import shlex
import shutil
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from gradviz.cli import desktop
from gradviz.cli.main import main
from gradviz.resource import resource_path
from tests.programs import run_program

pytestmark = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="desktop entries are a matter of Linux and its like"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "data home"
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    # No program that could take note of it: these are about our own files.
    monkeypatch.setattr(shutil, "which", lambda name: None)
    return home


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def entry_in(path: Path) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(path, encoding="utf-8")
    return parser["Desktop Entry"]


def test_installing_says_what_it_writes(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["desktop", "--install"]) == 0
    captured = capsys.readouterr().out.splitlines()
    written = [line.removeprefix("wrote ") for line in captured if line.startswith("wrote ")]
    assert sorted(written) == [str(home / name) for name in files_in(home)]
    assert "applications/gradviz.desktop" in files_in(home)
    assert "mime/packages/gradviz.xml" in files_in(home)
    icons = {f"icons/hicolor/{size}x{size}/apps/gradviz.png" for size in desktop.SIZES}
    assert icons <= set(files_in(home))


def test_removing_leaves_nothing_of_ours(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = home / "applications" / "other.desktop"
    other.parent.mkdir(parents=True)
    other.write_text("[Desktop Entry]\n")
    main(["desktop", "--install"])
    assert main(["desktop", "--remove"]) == 0
    assert files_in(home) == ["applications/other.desktop"]
    capsys.readouterr()
    assert main(["desktop", "--remove"]) == 0
    assert capsys.readouterr().out == "Nothing was installed.\n"


def test_the_entry_starts_this_very_program(home: Path) -> None:
    main(["desktop", "--install"])
    entry = entry_in(home / "applications" / "gradviz.desktop")
    words = shlex.split(entry["Exec"])
    assert words[-1] == "%F"
    assert Path(words[0]).is_absolute()
    assert Path(entry["TryExec"]).exists()
    assert entry["Icon"] == "gradviz"
    done = run_program([*words[:-1], "--version"], timeout=60, check=True)
    assert done.stdout.startswith("gradviz ")


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("/opt/my apps/gradviz", '"/opt/my apps/gradviz"'),
        ("/a$b", '"/a\\\\$b"'),
        ('/a"b', '"/a\\\\"b"'),
        ("/100%/g", '"/100%%/g"'),
        ("/a\\b", '"/a\\\\\\\\b"'),
    ],
)
def test_a_path_is_quoted_as_the_specification_says(word: str, quoted: str) -> None:
    entry = desktop.entry_for("Exec=gradviz %F\nTryExec=gradviz", [word])
    assert entry.splitlines() == [f"Exec={quoted} %F", f"TryExec={word}"]


@pytest.mark.parametrize("ending", [".gradviz", ".gradviz-lesson"])
def test_the_file_types_are_those_that_the_entry_opens(ending: str) -> None:
    entry = entry_in(resource_path("desktop/gradviz.desktop"))
    root = ET.fromstring(resource_path("desktop/gradviz.xml").read_text(encoding="utf-8"))
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kind = root.find(f"{space}mime-type/{space}glob[@pattern='*{ending}']/..")
    assert kind is not None
    assert kind.attrib["type"] in entry["MimeType"].split(";")
    assert resource_path(f"desktop/{kind.attrib['type'].replace('/', '-')}.svg").exists()


@pytest.mark.skipif(not shutil.which("desktop-file-validate"), reason="it is not installed")
def test_the_entry_is_valid() -> None:
    path = resource_path("desktop/gradviz.desktop")
    done = run_program(["desktop-file-validate", path])
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(not shutil.which("update-mime-database"), reason="it is not installed")
def test_the_desktop_registers_the_file_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["desktop", "--install"]) == 0
    assert "*.gradviz" in (tmp_path / "mime" / "globs").read_text()


def test_a_folder_that_cannot_be_written_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mime").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["desktop", "--install"]) == 2
    assert "cannot be changed" in capsys.readouterr().err


@pytest.mark.parametrize("size", desktop.SIZES)
def test_the_pictures_show_the_drawing(size: int) -> None:
    from PySide6.QtGui import QImage

    from tools.icons import drawn

    stored = QImage(str(resource_path(f"desktop/gradviz-{size}.png")))
    fresh = drawn(resource_path("desktop/gradviz.svg"), size)
    assert stored.size() == fresh.size()
    for x, y in ((size // 2, size // 4), (size * 4 // 10, size * 6 // 10), (0, 0)):
        one, two = stored.pixelColor(x, y), fresh.pixelColor(x, y)
        assert abs(one.lightness() - two.lightness()) < 12
        assert abs(one.alpha() - two.alpha()) < 12
