"""How gradviz was installed, and the command that installs more of it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from gradviz.catalogue.messages import say

DISTRIBUTION = "gradviz-desktop"
"""The name for pip. On PyPI, ``gradviz`` is a package of another author."""

_OTHER = "gradviz"
_COMMAND = "gradviz.__main__:main"


def install_command(extras: str) -> str:
    """The command that installs extras from where gradviz came: a clone, a file, git or PyPI.

    Args:
        extras: Names of extras with commas between them, such as ``view,film``.
    """
    return command_for(requirement_for(_direct_url(), extras))


def command_for(requirement: str) -> str:
    """The command that installs something into the environment in which this runs.

    Where pipx or uv made that environment, ``pip`` on the PATH belongs to another one.

    Args:
        requirement: What to install, in quotes for a shell.
    """
    environment = Path(sys.prefix)
    settings = environment / "pyvenv.cfg"
    name, folder = environment.name, environment.parent.name
    if (environment / "pipx_metadata.json").is_file():
        if folder == "venvs":
            return f"pipx runpip {name} install {requirement}"
        # Made for this run only.
        return f"pipx run --spec {requirement} gradviz"
    if settings.is_file() and _MADE_BY_UV.search(settings.read_text(encoding="utf-8")):
        if folder.startswith("archive-"):
            # Part of uv's cache, and made for this run only.
            return f"uvx --from {requirement} gradviz"
        return f'uv pip install --python "{environment}" {requirement}'
    return f"pip install {requirement}"


_MADE_BY_UV = re.compile(r"^uv *=", re.MULTILINE)


def requirement_for(origin: Mapping[str, Any], extras: str) -> str:
    """What to install, in quotes for a shell.

    Args:
        origin: Content of ``direct_url.json`` (PEP 610); empty for an index.
        extras: Names of extras with commas between them.
    """
    url, wanted = str(origin.get("url", "")), f"{DISTRIBUTION}[{extras}]"
    if not url:
        return f'"{wanted}"'
    if "dir_info" in origin:
        option = "-e " if origin["dir_info"].get("editable") else ""
        return f'{option}"{url2pathname(urlsplit(url).path)}[{extras}]"'
    control = origin.get("vcs_info", {})
    if control:
        revision = control.get("requested_revision")
        url = f"{control.get('vcs', 'git')}+{url}" + (f"@{revision}" if revision else "")
    return f'"{wanted} @ {url}"'


def name_clash(folders: Sequence[str]) -> str:
    """Say that another author's package of the same name is installed, too; usually empty.

    Args:
        folders: Where Python looks for packages: ``sys.path``.
    """
    # Faster than `importlib.metadata`, which is imported only if there is something to read.
    found = [path for folder in folders for path in Path(folder).glob(f"{_OTHER}-*.dist-info")]
    if not any(map(_is_of_another_author, found)):
        return ""
    return say("packages.name_clash", other=_OTHER, ours=DISTRIBUTION)


def _is_of_another_author(metadata: Path) -> bool:
    from importlib.metadata import PathDistribution

    # Ours had this name before its first release.
    scripts = PathDistribution(metadata).entry_points.select(group="console_scripts")
    return all(script.value != _COMMAND for script in scripts)


def _direct_url() -> Mapping[str, Any]:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        # Not installed but imported from a folder, such as a clone.
        root = _root()
        is_clone = (root / "pyproject.toml").is_file()
        return {"url": root.as_uri(), "dir_info": {"editable": True}} if is_clone else {}
    try:
        origin = json.loads(text or "{}")
    except ValueError:
        return {}
    return origin if isinstance(origin, dict) else {}


def _root() -> Path:
    spec = find_spec("gradviz")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve().parents[1]
