r"""Text from outside with its control characters shown as escapes such as ``\x1b``.

A name could otherwise color a terminal, reverse the text after it or begin a line of its own.
"""

from __future__ import annotations

import unicodedata


class _Shown(dict[int, str]):
    """What each character is shown as, by its code, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        # Spaces of other widths separate the digits of a number in some languages.
        is_plain = character.isprintable() or unicodedata.category(character) == "Zs"
        shown = character if is_plain else character.encode("unicode_escape").decode("ascii")
        self[code] = shown
        return shown


_NAME = _Shown()
_LINES = _Shown({ord(each): each for each in "\n\t"})


def visible_text(text: str, *, lines: bool = False) -> str:
    r"""A text with each character escaped that neither prints nor is a space.

    Shown again, the result does not change.

    Args:
        text: Any text from outside, such as a name.
        lines: Whether line breaks and tabs stay, as in source code and in messages that are shown
            as a block. In a name or a sentence, they become ``\n`` and ``\t``.
    """
    return text if text.isprintable() else text.translate(_LINES if lines else _NAME)
