"""Widgets one below the other, each placed once, so that a new step is laid out within a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

_NOTHING = QSize(0, 0)


class Column(QWidget):
    """Places its parts by itself: a subclass says where, in `place`.

    Nested layouts of Qt ask each label for its height at each level, again and again; this asks
    once. Whoever changes what a column holds calls `refresh` afterwards.

    Signals:
        height_changed: It needs another height than it has.
    """

    height_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._placed = 0
        self._height = 0
        self._held = False

    def place(self, width: int, *, move: bool) -> int:
        """Finds the height at a width, and moves the parts if asked to.

        Args:
            width: In pixels.
            move: Whether the parts are moved, or only measured.
        """
        raise NotImplementedError

    def settle(self, width: int) -> int:
        """Moves the parts to where they belong at a width; returns the height."""
        self._placed = width
        self._height = self.place(width, move=True)
        return self._height

    @property
    def held(self) -> bool:
        """Whether its owner has asked it to place nothing for now."""
        return self._held

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Inside, neither this column nor those in it place anything; the owner does afterwards."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def refresh(self) -> None:
        """Places everything anew after a change."""
        if self._is_held():
            return
        if self.settle(self.width()) != self.height():
            self.updateGeometry()
            self.height_changed.emit()

    def _is_held(self) -> bool:
        widget: QWidget | None = self
        while widget is not None:
            if isinstance(widget, Column) and widget.held:
                return True
            widget = widget.parentWidget()
        return False

    def hasHeightForWidth(self) -> bool:
        """The height follows from the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height in pixels at a width."""
        # Qt asks for it again and again.
        return self._height if width == self._placed else self.place(width, move=False)

    def sizeHint(self) -> QSize:
        """The size it likes to have."""
        width = max(self.width(), 40)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """It can be narrow; its height is that of its parts."""
        return QSize(40, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Places everything at another width."""
        super().resizeEvent(event)
        if self.width() != self._placed:
            self.settle(self.width())


def height_of(part: QWidget, width: int, *, move: bool = False) -> int:
    """The height that a part needs at a width; a column is placed at it too, if asked to."""
    if isinstance(part, Column):
        return part.settle(width) if move else part.place(width, move=False)
    if part.hasHeightForWidth():
        return part.heightForWidth(width)
    return part.sizeHint().height()


def stack(
    parts: Iterable[QWidget], width: int, gap: int, *, move: bool, top: int = 0, left: int = 0
) -> int:
    """Places parts one below the other; returns where the last one ends."""
    y = top
    for part in parts:
        if part.isHidden():
            continue
        y += gap if y > top else 0
        height = height_of(part, width, move=move)
        if move:
            part.setGeometry(left, y, width, height)
        y += height
    return y


def flow(
    parts: Iterable[QWidget],
    width: int,
    gap: int,
    *,
    move: bool,
    top: int = 0,
    left: int = 0,
    taken: QSize = _NOTHING,
) -> int:
    """Places parts side by side, and on in the next line where the width ends, as words are.

    Each is as wide as it likes to be, in the middle of its line.

    Args:
        parts: Those that are hidden take no room.
        width: Of a line.
        gap: Between two parts.
        move: Whether they are moved, or only measured.
        top: Where the first line begins.
        left: Where every line begins.
        taken: Room at the end of the first line that belongs to something else.

    Returns:
        Where the last line ends.
    """
    line: list[tuple[QWidget, int, QSize]] = []
    x, y, tallest, room = 0, top, taken.height(), width - taken.width()
    for part in parts:
        if part.isHidden():
            continue
        size = part.sizeHint()
        if x and x + min(size.width(), width) > room:
            _move_line(line, y, tallest, move)
            x, y, tallest, line, room = 0, y + tallest + gap // 2, 0, [], width
        own = min(size.width(), room)
        line.append((part, left + x, QSize(own, size.height())))
        x += own + gap
        tallest = max(tallest, size.height())
    _move_line(line, y, tallest, move)
    return y + tallest


def _move_line(line: list[tuple[QWidget, int, QSize]], y: int, height: int, move: bool) -> None:
    for part, x, size in line if move else ():
        top = y + (height - size.height()) // 2
        part.setGeometry(x, top, size.width(), size.height())
