"""The preflight names missing libraries, with the exact install command per distribution."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradviz import preflight
from tests.programs import run_program

DEBIAN = "ID=debian\n"
UBUNTU = "NAME=Ubuntu\nID=ubuntu\nID_LIKE=debian\n"
FEDORA = "ID=fedora\n"
RHEL = 'ID="rocky"\nID_LIKE="rhel centos fedora"\n'


def loader_without(*sonames: str) -> Callable[[str], object]:
    def load(soname: str) -> object:
        if soname in sonames:
            raise OSError(f"{soname}: cannot open shared object file: No such file or directory")
        return object()

    return load


def remedy(os_release: Path, text: str, *missing: str) -> str:
    os_release.write_text(text)
    return preflight.check(
        "xcb", load=loader_without(*missing), environ={}, system="linux", os_release=os_release
    ).remedy


@pytest.fixture
def os_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(preflight, "_is_root", lambda: False)
    return tmp_path / "os-release"


def test_nothing_missing_needs_no_remedy(os_release: Path) -> None:
    found = preflight.check("xcb", load=loader_without(), environ={}, system="linux")
    assert found.missing == ()
    assert found.remedy == ""


@pytest.mark.parametrize("text", [DEBIAN, UBUNTU])
def test_debian_gets_its_line(os_release: Path, text: str) -> None:
    assert remedy(os_release, text, "libGL.so.1", "libxcb-cursor.so.0") == (
        "2 libraries are missing from the system (libGL.so.1 and libxcb-cursor.so.0). "
        "Install them with: sudo apt-get install --no-install-recommends libgl1 libxcb-cursor0"
    )


def test_root_needs_no_sudo(os_release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "_is_root", lambda: True)
    assert "with: apt-get install" in remedy(os_release, DEBIAN, "libGL.so.1")


@pytest.mark.parametrize("text", [FEDORA, RHEL])
def test_fedora_gets_each_package_once(os_release: Path, text: str) -> None:
    advice = remedy(os_release, text, "libxcb-shm.so.0", "libxcb-randr.so.0")
    assert advice.endswith(". Install them with: sudo dnf install libxcb")


def test_unknown_distribution_gets_the_sonames(os_release: Path) -> None:
    advice = remedy(os_release, "ID=plan9\n", "libGL.so.1")
    assert advice == (
        "A library is missing from the system. Install the package that provides libGL.so.1."
    )


@pytest.mark.parametrize(("dot", "wanted"), [(None, ["libxrender1"]), ("/usr/bin/dot", [])])
def test_graphviz_library_is_asked_for_where_there_is_no_dot(
    dot: str | None, wanted: list[str]
) -> None:
    load = loader_without("libXrender.so.1")
    found = preflight.check(
        "offscreen", load=load, environ={}, system="linux", which=lambda name: dot
    )
    assert [library.debian for library in found.missing] == wanted


def test_offscreen_does_not_ask_for_xcb() -> None:
    load = loader_without("libxcb-cursor.so.0", "libwayland-cursor.so.0")
    assert preflight.check("offscreen", load=load, environ={}, system="linux").missing == ()
    (only,) = preflight.check("wayland", load=load, environ={}, system="linux").missing
    assert only.debian == "libwayland-cursor0"


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_elsewhere_nothing_can_be_missing(system: str) -> None:
    found = preflight.check("xcb", load=loader_without("libGL.so.1"), environ={}, system=system)
    assert (found.missing, found.has_display, found.remedy) == ((), True, "")


@pytest.mark.parametrize(
    ("environ", "platform"),
    [
        ({}, "offscreen"),
        ({"DISPLAY": ":0"}, "xcb"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "xcb"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "w", "XDG_SESSION_TYPE": "wayland"}, "wayland"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "wayland"),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, "offscreen"),
        ({"QT_QPA_PLATFORM": "wayland;xcb"}, "wayland"),
        ({"QT_QPA_PLATFORM": "minimal:enable_fonts"}, "minimal"),
    ],
)
def test_platform_is_the_one_that_qt_chooses(environ: dict[str, str], platform: str) -> None:
    assert preflight.qt_platform(environ) == platform


@pytest.mark.parametrize(
    ("environ", "shown"),
    [
        ({}, False),
        ({"DISPLAY": ""}, False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0", "QT_QPA_PLATFORM": "offscreen"}, False),
        ({"DISPLAY": ":98765"}, False),
        ({"QT_QPA_PLATFORM": "vnc:size=1280x800:port=5971"}, True),
        ({"QT_QPA_PLATFORM": "linuxfb:fb=/dev/fb1"}, True),
        ({"QT_QPA_PLATFORM": "eglfs"}, True),
    ],
)
def test_display_is_there_only_if_it_answers(environ: dict[str, str], shown: bool) -> None:
    assert preflight.display_available(environ=environ, system="linux") is shown


def test_display_without_libx11_is_none() -> None:
    load = loader_without("libX11.so.6")
    assert not preflight.display_available(load=load, environ={"DISPLAY": ":0"}, system="linux")


@pytest.mark.parametrize("answer", [None, 4711])
def test_display_that_was_opened_is_closed(answer: int | None) -> None:
    closed: list[int] = []
    x11 = SimpleNamespace(XOpenDisplay=lambda _: answer, XCloseDisplay=lambda it: closed.append(it))
    shown = preflight.display_available(
        load=lambda soname: x11, environ={"DISPLAY": ":0"}, system="linux"
    )
    assert shown is bool(answer)
    assert closed == ([answer] if answer else [])


@pytest.mark.xcb
def test_a_real_display_answers() -> None:
    environ = {"DISPLAY": os.environ["DISPLAY"]}
    assert preflight.display_available(environ=environ)
    found = preflight.check(environ=environ)
    assert (found.platform, found.missing) == ("xcb", ())


def test_it_imports_neither_qt_nor_torch() -> None:
    code = (
        "import sys, gradviz.preflight; "
        "print(sorted({'PySide6', 'torch', 'numpy'} & sys.modules.keys()))"
    )
    done = run_program([sys.executable, "-c", code], check=True)
    assert done.stdout == "[]\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of Linux")
def test_offscreen_libraries_are_here_as_this_test_runs() -> None:
    module = [sys.executable, "-m", "gradviz.preflight", "offscreen"]
    done = run_program(module, check=True)
    assert done.stdout == "\n"
