"""The ops panel: every op that torch ran within a step."""

from gradviz.viewer.local_keys import STEP_KEYS, KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the op table"),
    (
        *STEP_KEYS[:2],
        LocalKey(
            "go", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the op, line or stage of the row")
        ),
        LocalKey("copy", ("Ctrl+C",), QT_TRANSLATE_NOOP("Keys", "Copy the row")),
    ),
)
PANEL = PanelSpec(
    name="ops",
    title=QT_TRANSLATE_NOOP("Panels", "O&ps"),
    area="right",
    tab_of="source",
    keys=KEYS,
    factory="gradviz.viewer.ops.panel:make_panel",
)
