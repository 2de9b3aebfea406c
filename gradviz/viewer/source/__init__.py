"""The source pane: the recorded source, the current line, and what each line assigned."""

from gradviz.viewer.local_keys import LEVEL_KEYS, STEP_KEYS, KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the source"),
    (
        *STEP_KEYS,
        *LEVEL_KEYS,
        LocalKey(
            "enter",
            ("Enter",),
            QT_TRANSLATE_NOOP("Keys", "Enlarge the local variable at the cursor"),
        ),
        LocalKey(
            "copy",
            ("Ctrl+C",),
            QT_TRANSLATE_NOOP("Keys", "Copy the selected text (select with Shift and arrow keys)"),
        ),
    ),
)
PANEL = PanelSpec(
    name="source",
    title=QT_TRANSLATE_NOOP("Panels", "&Source"),
    area="right",
    keys=KEYS,
    factory="gradviz.viewer.source.factory:make_panel",
)
