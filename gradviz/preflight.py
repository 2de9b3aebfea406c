"""Search for missing system libraries of Qt and Graphviz, before importing Qt aborts.

Run as `python -m gradviz.preflight xcb` it prints the missing Debian packages.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradviz.catalogue.messages import say_count, say_list

LibraryLoader = Callable[[str], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A shared library that a wheel expects from the system.

    Attributes:
        soname: Name for the dynamic loader.
        debian: Package that contains it on Debian and Ubuntu.
        fedora: Package that contains it on Fedora.
    """

    soname: str
    debian: str
    fedora: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """Result of the search for libraries and a display.

    Attributes:
        platform: The Qt platform that was checked: ``xcb``, ``wayland``, ``offscreen`` ...
        missing: Libraries that the dynamic loader does not find.
        has_display: Whether a window can be shown.
        remedy: One sentence with the install command; empty if nothing is missing.
    """

    platform: str
    missing: tuple[Library, ...]
    has_display: bool
    remedy: str


def _table(text: str) -> tuple[Library, ...]:
    rows = [line.split() for line in text.strip().splitlines()]
    return tuple(Library(soname=row[0], debian=row[1], fedora=row[2]) for row in rows)


# From the NEEDED entries of the wheel's libraries, tested on a bare Debian 12.
_EVERY_PLATFORM = _table("""
    libglib-2.0.so.0        libglib2.0-0            glib2
    libGL.so.1              libgl1                  libglvnd-glx
    libEGL.so.1             libegl1                 libglvnd-egl
    libX11.so.6             libx11-6                libX11
    libxkbcommon.so.0       libxkbcommon0           libxkbcommon
    libfontconfig.so.1      libfontconfig1          fontconfig
    libfreetype.so.6        libfreetype6            freetype
    libdbus-1.so.3          libdbus-1-3             dbus-libs
""")
_XCB = _table("""
    libxcb-cursor.so.0      libxcb-cursor0          xcb-util-cursor
    libxcb-icccm.so.4       libxcb-icccm4           xcb-util-wm
    libxcb-image.so.0       libxcb-image0           xcb-util-image
    libxcb-keysyms.so.1     libxcb-keysyms1         xcb-util-keysyms
    libxcb-render-util.so.0 libxcb-render-util0     xcb-util-renderutil
    libxcb-util.so.1        libxcb-util1            xcb-util
    libxcb-randr.so.0       libxcb-randr0           libxcb
    libxcb-render.so.0      libxcb-render0          libxcb
    libxcb-shape.so.0       libxcb-shape0           libxcb
    libxcb-shm.so.0         libxcb-shm0             libxcb
    libxcb-sync.so.1        libxcb-sync1            libxcb
    libxcb-xfixes.so.0      libxcb-xfixes0          libxcb
    libxcb-xkb.so.1         libxcb-xkb1             libxcb
    libxkbcommon-x11.so.0   libxkbcommon-x11-0      libxkbcommon-x11
    libX11-xcb.so.1         libx11-xcb1             libX11-xcb
""")
_WAYLAND = _table("""
    libwayland-client.so.0  libwayland-client0      libwayland-client
    libwayland-cursor.so.0  libwayland-cursor0      libwayland-cursor
""")
# Also needed by pygraphviz's wheel, which is not used if `dot` is on the PATH.
_GRAPHVIZ = _table("""
    libXrender.so.1         libxrender1             libXrender
    libXext.so.6            libxext6                libXext
    libexpat.so.1           libexpat1               expat
""")
_BY_PLATFORM = {"xcb": _XCB, "wayland": _WAYLAND}
# These platforms draw into memory.
_UNSEEN = frozenset({"offscreen", "minimal"})
# These platforms need neither X nor Wayland.
_OWN_DISPLAY = frozenset({"vnc", "linuxfb", "eglfs"})


def check(
    platform: str | None = None,
    *,
    load: LibraryLoader = ctypes.CDLL,
    environ: Mapping[str, str] = os.environ,
    system: str = sys.platform,
    os_release: Path = Path("/etc/os-release"),
    which: Callable[[str], str | None] = shutil.which,
) -> Preflight:
    """Check for the required libraries and a display; takes a few milliseconds.

    Args:
        platform: A Qt platform, or None for the one that Qt would choose.
        load: Loads a library by its soname and raises OSError if it cannot.
        environ: The environment in which Qt would start.
        system: As `sys.platform`; nothing is checked on systems other than Linux.
        os_release: The file that names the distribution.
        which: Finds a program on the PATH.
    """
    shown = display_available(load=load, environ=environ, system=system)
    chosen = platform or qt_platform(environ)
    if not system.startswith("linux"):
        return Preflight(platform=chosen, missing=(), has_display=shown, remedy="")
    needed = _EVERY_PLATFORM + _BY_PLATFORM.get(chosen, ())
    if which("dot") is None:
        needed += _GRAPHVIZ
    missing = tuple(library for library in needed if not _loads(library.soname, load))
    remedy = _remedy(missing, os_release) if missing else ""
    return Preflight(platform=chosen, missing=missing, has_display=shown, remedy=remedy)


def qt_platform(environ: Mapping[str, str]) -> str:
    """Return the platform that Qt would choose on Linux; without a display, ``offscreen``."""
    plugin = environ.get("QT_QPA_PLATFORM", "")
    if plugin:
        return plugin.split(";")[0].split(":")[0]
    if environ.get("DISPLAY") and environ.get("XDG_SESSION_TYPE") != "wayland":
        return "xcb"
    if environ.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "xcb" if environ.get("DISPLAY") else "offscreen"


def display_available(
    *,
    load: LibraryLoader = ctypes.CDLL,
    environ: Mapping[str, str] = os.environ,
    system: str = sys.platform,
) -> bool:
    """Tell whether a window would be visible, on Wayland or on an X display that responds.

    Other systems than Linux always have one, unless ``QT_QPA_PLATFORM`` draws into memory.
    """
    plugin = qt_platform(environ) if environ.get("QT_QPA_PLATFORM") else ""
    if plugin in _UNSEEN:
        return False
    if plugin in _OWN_DISPLAY:
        return True
    if not system.startswith("linux") or environ.get("WAYLAND_DISPLAY"):
        return True
    return bool(environ.get("DISPLAY")) and _x_display_answers(environ["DISPLAY"], load)


def _x_display_answers(name: str, load: LibraryLoader) -> bool:
    try:
        x11 = load("libX11.so.6")
    except OSError:
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XOpenDisplay.argtypes = [ctypes.c_char_p]
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    display = x11.XOpenDisplay(os.fsencode(name))
    if display:
        x11.XCloseDisplay(display)
    return bool(display)


def _loads(soname: str, load: LibraryLoader) -> bool:
    try:
        load(soname)
    except OSError:
        return False
    return True


def _remedy(missing: tuple[Library, ...], os_release: Path) -> str:
    names = say_list([library.soname for library in missing])
    line = install_line(missing, os_release)
    if line:
        return say_count("library.missing", len(missing), names=names, command=line)
    return say_count("library.unknown", len(missing), names=names)


def install_line(missing: tuple[Library, ...], os_release: Path) -> str:
    """Return the command that installs the libraries; empty on an unknown distribution."""
    family = _family(os_release)
    sudo = "" if _is_root() else "sudo "
    if family & {"debian", "ubuntu"}:
        packages = dict.fromkeys(library.debian for library in missing)
        return f"{sudo}apt-get install --no-install-recommends {' '.join(packages)}"
    if family & {"fedora", "rhel"}:
        packages = dict.fromkeys(library.fedora for library in missing)
        return f"{sudo}dnf install {' '.join(packages)}"
    return ""


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _family(os_release: Path) -> set[str]:
    try:
        lines = os_release.read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    return set((fields.get("ID", "") + " " + fields.get("ID_LIKE", "")).replace('"', "").split())


def main(arguments: list[str]) -> int:
    """Print the missing Debian packages for a Qt platform, for setup scripts."""
    missing = check(arguments[0] if arguments else None).missing
    sys.stdout.write(" ".join(dict.fromkeys(library.debian for library in missing)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
