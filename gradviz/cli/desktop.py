"""``gradviz desktop``: entry in the desktop menu, and icons and types of traces and lessons."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.arguments import VerbArguments
from gradviz.cli.errors import UsageError

SIZES = (16, 24, 32, 48, 64, 128, 256)
_ENTRY = "applications/gradviz.desktop"
_TYPES = ("application-x-gradviz-trace", "application-x-gradviz-lesson")
# Programs to run after changes, if installed: program, folder, options.
_UPDATES = (
    ("update-desktop-database", "applications", ()),
    ("update-mime-database", "mime", ()),
    ("gtk-update-icon-cache", "icons/hicolor", ("--force", "--ignore-theme-index", "--quiet")),
)


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    group = add.parser.add_mutually_exclusive_group(required=True)
    add("--install", to=group, action="store_true")
    add("--remove", to=group, action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Install or remove this user's desktop files and print their paths."""
    if sys.platform in ("win32", "darwin"):
        raise UsageError(say("command.no_desktop"))
    home = data_home()
    try:
        changed = list(_removed(home) if arguments.remove else _installed(home))
    except OSError as error:
        problem = say("command.not_changed", path=error.filename, reason=error.strerror)
        raise UsageError(problem) from None
    for path in changed:
        output.say(say("command.removed" if arguments.remove else "command.wrote", path=path))
    if not changed:
        output.say(say("command.nothing_installed"))
        return 0
    for program in _update(home):
        output.say(say("command.ran", program=program))
    return 0


def data_home() -> Path:
    """Folder of this user's desktop files, by the XDG base directory specification."""
    xdg_data_home = os.environ.get("XDG_DATA_HOME", "")
    # The specification says to ignore relative paths.
    return Path(xdg_data_home) if os.path.isabs(xdg_data_home) else Path.home() / ".local/share"


def _files() -> Iterator[tuple[str, str]]:
    """Each resource and its destination."""
    icons = "icons/hicolor"
    yield "gradviz.xml", "mime/packages/gradviz.xml"
    yield "gradviz.svg", f"{icons}/scalable/apps/gradviz.svg"
    for name in _TYPES:
        yield f"{name}.svg", f"{icons}/scalable/mimetypes/{name}.svg"
    for size in SIZES:
        yield f"gradviz-{size}.png", f"{icons}/{size}x{size}/apps/gradviz.png"


def _installed(home: Path) -> Iterator[Path]:
    from gradviz.resource import resource_path

    for name, place in _files():
        yield _write(home / place, resource_path(f"desktop/{name}").read_bytes())
    entry = resource_path("desktop/gradviz.desktop").read_text(encoding="utf-8")
    yield _write(home / _ENTRY, entry_for(entry, command()).encode())


def _write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def _removed(home: Path) -> Iterator[Path]:
    for place in (*(place for _, place in _files()), _ENTRY):
        path = home / place
        if path.exists():
            path.unlink()
            yield path


def command() -> list[str]:
    """Command that starts this installation of gradviz."""
    # A full path, because desktop menus know nothing of an activated environment.
    script = Path(sys.executable).with_name("gradviz")
    return [str(script)] if script.exists() else [sys.executable, "-m", "gradviz"]


def entry_for(entry: str, words: list[str]) -> str:
    """Set the command in the text of a desktop entry."""
    lines = []
    for line in entry.splitlines():
        if line.startswith("Exec="):
            line = f"Exec={' '.join(map(_quoted, words))} %F"
        elif line.startswith("TryExec="):
            line = f"TryExec={words[0]}"
        lines.append(line)
    return "\n".join([*lines, ""])


def _quoted(word: str) -> str:
    """Quote a word of an Exec line by the desktop entry specification."""
    for each in '\\"`$':
        word = word.replace(each, f"\\{each}")
    # In the value, a string, backslashes are doubled again; % starts a field code.
    return '"{}"'.format(word.replace("\\", "\\\\").replace("%", "%%"))


def _update(home: Path) -> Iterator[str]:
    for program, folder, options in _UPDATES:
        path = shutil.which(program)
        if path is None or not (home / folder).is_dir():
            continue
        words = [path, *options, str(home / folder)]
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            yield program
