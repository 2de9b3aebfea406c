"""The speaker's window: notes, what the audience sees now and next, the clock and the time used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QLocale, QObject, QRect, Qt, QTime, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QGuiApplication,
    QKeySequence,
    QPalette,
    QScreen,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractSlider,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.lesson.facts import shown_text, speaker_text
from gradviz.viewer.actions import Actions
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.lesson_text import duration_text, stop_title
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.wayland import is_wayland

_SECOND_MS = 1000
_SIZE = (880, 600)
_PICTURE = (320, 180)
_HEADLINE_PIXELS, _NOTES_PIXELS, _TIME_PIXELS = 20, 18, 26
_KEYS = (
    (("PgDown", "F10", "Right", "Space"), "next"),
    (("PgUp", "Shift+F10", "Left"), "previous"),
    (("B", "."), "black"),
    (("Up",), "scroll_up"),
    (("Down",), "scroll_down"),
    (("Return", "Enter"), "show_notes"),
    (("Esc",), "close"),
)


class SpeakerWindow(QWidget):
    """Follows the lesson; the clicker works here, too."""

    def __init__(self, state: ViewerState, player: LessonPlayer, actions: Actions) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self._player = player
        self._state = state
        self._target: QScreen | None = None
        self._is_moving = False
        self.setWindowTitle(self.tr("Speaker View"))
        self.setBackgroundRole(QPalette.ColorRole.Base)
        # The text of the stage is for the last row, and the speaker sits in front of this one.
        self._theme = Theme(name=state.theme.name)
        self.update_theme()
        self.headline = PlainLabel(pixels=_HEADLINE_PIXELS, bold=True)
        self.question = PlainLabel(pixels=_NOTES_PIXELS)
        self.notes = QPlainTextEdit()
        self.notes.setReadOnly(True)
        self.notes.setFrameShape(QFrame.Shape.NoFrame)
        self.notes.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.notes.setAccessibleName(self.tr("Speaker notes"))
        self.following = PlainLabel(pixels=_NOTES_PIXELS, muted=True)
        # A picture and its caption each: of what the audience sees, and of the next click.
        captions = self.tr("The audience sees"), self.tr("After the next click")
        self.pictures = [(PlainLabel(text, muted=True), self._picture()) for text in captions]
        self.clock, self.elapsed = QLabel(), QLabel()
        self.clock.setAccessibleDescription(self.tr("Time of day"))
        self.elapsed.setAccessibleDescription(self.tr("Elapsed and planned time"))
        self.cover = QPushButton(self.tr("Show Notes Here (Enter)"))
        self.cover.setAccessibleDescription(
            self.tr("The notes are hidden until this window is on your own screen")
        )
        # The keys step through the lesson.
        self.cover.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.cover.clicked.connect(partial(self._hide_notes, hidden=False))
        self._second = QTimer(self, interval=_SECOND_MS)
        self._second.timeout.connect(self._on_second_timeout)
        self._lay_out()
        calls: dict[str, Callable[[], object]] = {
            "next": actions.next_stop.trigger,
            "previous": actions.previous_stop.trigger,
            "black": actions.black.trigger,
            "scroll_up": partial(self._scroll, QAbstractSlider.SliderAction.SliderSingleStepSub),
            "scroll_down": partial(self._scroll, QAbstractSlider.SliderAction.SliderSingleStepAdd),
            "show_notes": partial(self._hide_notes, hidden=False),
            "close": self.close,
        }
        for keys, name in _KEYS:
            for key in keys:
                QShortcut(QKeySequence(key), self).activated.connect(calls[name])
        player.stop_changed.connect(self._on_player_stop_changed)
        state.presentation.pictures_changed.connect(self._show_pictures)
        state.presentation.presenting_changed.connect(self._show_pictures)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenRemoved.connect(self._on_app_screen_removed)
        for part in (self.notes, self.cover):
            set_theme_font(part, self._theme, _NOTES_PIXELS)
        for time in (self.clock, self.elapsed):
            set_theme_font(time, self._theme, _TIME_PIXELS, bold=True)
        self._on_player_stop_changed(player.at)
        self._show_pictures()

    def update_theme(self) -> None:
        """Take over the colors of the stage, and the size of text that the user has chosen."""
        scale = self._state.preferences.text_scale
        self._theme.become(Theme(name=self._state.theme.name, scale=scale))

    def show_beside(self, window: QWidget) -> None:
        """Show the window, on another screen than the given window if there is one.

        If it may be on the same one, the notes are hidden until the speaker shows them.
        """
        stage = self._state.presentation.screen if is_wayland() else window.screen()
        screens = QGuiApplication.screens()
        others = [each for each in screens if each is not stage]
        self.resize(*_SIZE)
        self._hide_notes(hidden=is_wayland() and len(screens) > 1)
        if is_wayland():
            self._target = others[0] if stage is not None and others else None
            self.showNormal()
            self.windowHandle().installEventFilter(self)
        elif others:
            self.setGeometry(others[0].availableGeometry())
            self.showMaximized()
        else:
            self.show()
        self.raise_()
        self._second.start()
        self._on_second_timeout()

    def _lay_out(self) -> None:
        times = lay_out(QHBoxLayout(), (self.elapsed, 1), self.clock)
        left, right, both = QVBoxLayout(), QVBoxLayout(), QHBoxLayout()
        left.addWidget(self.headline)
        left.addWidget(self.question)
        left.addWidget(self.notes, 1)
        left.addWidget(self.cover, 1)
        left.addWidget(self.following)
        for caption, picture in self.pictures:
            right.addWidget(caption)
            right.addWidget(picture)
        right.addStretch(1)
        both.setSpacing(20)
        both.addLayout(left, 1)
        both.addLayout(right)
        lay_out(QVBoxLayout(self), times, (both, 1), margins=(20, 14, 20, 14), gap=10)

    def _picture(self) -> FrameView:
        view = FrameView(self._theme, self._state.preferences)
        view.setFixedSize(*_PICTURE)
        self._state.theme_changed.connect(view.update_theme)
        return view

    def _show_pictures(self) -> None:
        stage = self._state.presentation
        pictures = stage.pictures if stage.presenting and self.cover.isHidden() else ()
        for at, (caption, view) in enumerate(self.pictures):
            frame = pictures[at] if at < len(pictures) else None
            view.show_frame(frame)
            for part in (caption, view):
                part.setVisible(frame is not None)

    def _hide_notes(self, *, hidden: bool) -> None:
        self.cover.setVisible(hidden)
        for part in (self.notes, self.following):
            part.setVisible(not hidden)
        self._show_pictures()

    def _scroll(self, action: QAbstractSlider.SliderAction) -> None:
        self.notes.verticalScrollBar().triggerAction(action)

    def _on_second_timeout(self) -> None:
        lesson = self._player.lesson
        planned = round((0 if lesson is None else lesson.minutes) * 60_000)
        text = duration_text(self._player.elapsed_ms)
        if planned:
            text = self.tr("{0} of {1}").format(text, duration_text(planned))
        self.elapsed.setText(text)
        time = QLocale().toString(QTime.currentTime(), QLocale.FormatType.ShortFormat)
        self.clock.setText(time)

    def _on_player_stop_changed(self, at: int) -> None:
        lesson, stop = self._player.lesson, self._player.stop
        if lesson is None or stop is None:
            return
        number = self.tr("{0} / {1}").format(at + 1, len(lesson.stops))
        self.headline.setText(f"{number}  {stop_title(stop)}")
        self.question.setText(shown_text(stop.question))
        self.question.setVisible(bool(stop.question))
        self.notes.setPlainText(speaker_text(stop))
        after = lesson.stops[at + 1 : at + 2]
        following = stop_title(after[0]) if after else self.tr("end of the lesson")
        self.following.setText(self.tr("Next: {0}").format(following))

    def _on_app_screen_removed(self, removed: QScreen) -> None:
        left = [each for each in QGuiApplication.screens() if each.name() != removed.name()]
        if left and not any(each.geometry().intersects(self.geometry()) for each in left):
            place = QRect(0, 0, *_SIZE)
            place.moveCenter(left[0].availableGeometry().center())
            self._hide_notes(hidden=True)
            self.setWindowState(Qt.WindowState.WindowNoState)
            self.setGeometry(place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move to the other screen on Wayland, which only moves windows that are shown."""
        target = self._target
        if event.type() == QEvent.Type.Expose and target is not None:
            self._target, self._is_moving = None, True
            self.setScreen(target)
            self.showFullScreen()
        elif event.type() == QEvent.Type.Resize and self._is_moving:
            self._is_moving = False
            self._hide_notes(hidden=False)
        return False

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the clock."""
        self._second.stop()
        super().closeEvent(event)
