"""Finds icons, themes and fonts, in an installed wheel and in a checkout alike."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_path(name: str, *, package: Path = _PACKAGE) -> Path:
    """Return the file or folder of that name.

    A wheel carries the folder `resources` inside the package; a checkout has it beside the
    package, and an editable install reads the checkout.

    Args:
        name: Path below the folder `resources`, with forward slashes, like `icons/play.svg`.
        package: The folder of the package `gradviz`.

    Raises:
        FileNotFoundError: There is no such resource; the message names the place that was searched.
    """
    inside = package / "resources"
    root = inside if inside.is_dir() else package.parent / "resources"
    path = root / name
    if not path.exists():
        raise FileNotFoundError(
            f"gradviz has no resource {name!r} in {root}; is it fully installed?"
        )
    return path
