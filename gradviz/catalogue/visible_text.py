r"""Text from outside with its control characters shown as escapes such as ``\x1b``.

A name could otherwise color a terminal, reverse the text after it or begin a line of its own.
"""

from __future__ import annotations

# Spaces of other widths separate the digits of a number in some languages. These are the category
# Zs of Unicode; to import `unicodedata` takes as long as five modules of ours.
_SPACES = frozenset(map(chr, (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))


class _Shown(dict[int, str]):
    """What each character is shown as, by its code, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_plain = character.isprintable() or character in _SPACES
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
