"""Paths of icons, themes, fonts and other resources, in a wheel and in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_path(name: str, *, package: Path = _PACKAGE) -> Path:
    """Return the path of a resource file or folder.

    A wheel has the folder ``resources`` inside the package; a checkout has it beside the package,
    and an editable install reads the checkout.

    Args:
        name: Path below the folder ``resources``, with forward slashes, like `icons/play.svg`.
        package: The folder of the package `gradviz`.

    Raises:
        FileNotFoundError: If there is no such resource; the message names the folder searched.
    """
    inside = package / "resources"
    root = inside if inside.is_dir() else package.parent / "resources"
    path = root / name
    if not path.exists():
        raise FileNotFoundError(
            f"gradviz has no resource {name!r} in {root}. Is the installation complete?"
        )
    return path
