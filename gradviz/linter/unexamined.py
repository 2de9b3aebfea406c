"""What the doctor could not examine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexamined:
    """A file that could not be read or run, or an example in it.

    Attributes:
        path: Path of the file.
        message: One sentence for people.
    """

    path: str
    message: str
