"""Resources are found in a checkout and in a wheel, and not elsewhere."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import gradviz
from gradviz.resource import resource_path
from tests.programs import run_program

CHECKOUT = Path(__file__).resolve().parents[1]


def make_file(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("x")
    return path


def test_checkout_has_the_folder_beside_the_package() -> None:
    assert resource_path("README.md") == CHECKOUT / "resources" / "README.md"


def test_folder_inside_the_package_wins(tmp_path: Path) -> None:
    inside = make_file(tmp_path / "gradviz" / "resources" / "icons" / "play.svg")
    make_file(tmp_path / "resources" / "icons" / "play.svg")
    assert resource_path("icons/play.svg", package=tmp_path / "gradviz") == inside


def test_missing_resource_is_named_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no resource 'nothing\.svg' in .*resources"):
        resource_path("nothing.svg", package=tmp_path / "gradviz")


def test_wheel_carries_and_finds_every_resource(tmp_path: Path) -> None:
    hatch = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(hatch, stdin=subprocess.DEVNULL, check=True, cwd=CHECKOUT, capture_output=True)
    (wheel,) = tmp_path.glob(f"gradviz_desktop-{gradviz.__version__}-*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    names = [
        path.relative_to(CHECKOUT / "resources").as_posix()
        for path in (CHECKOUT / "resources").rglob("*")
        if path.is_file()
    ]
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r}); "
        "from gradviz.resource import resource_path; "
        f"print(*[resource_path(name) for name in {names!r}], sep='\\n')"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    done = run_program(command, check=True, cwd=tmp_path)
    assert done.stdout.split("\n")[:-1] == [
        str(site / "gradviz" / "resources" / name) for name in names
    ]
