"""Lessons: the player, its bar, the overview of stops, and the speaker's window."""

from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the list of lessons and stops"),
    (LocalKey("go", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Open the lesson, or go to the stop")),),
)
PANEL = PanelSpec(
    name="lesson",
    title=QT_TRANSLATE_NOOP("Panels", "L&essons"),
    area="left",
    icon="lesson",
    tab_of="library",
    shown=False,
    keys=KEYS,
    factory="gradviz.viewer.lesson.panel:make_panel",
)
