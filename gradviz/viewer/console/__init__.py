"""The Console panel: the output of a run."""

from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the console"),
    (
        LocalKey(
            "step", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the step that printed the line")
        ),
    ),
)
PANEL = PanelSpec(
    name="console",
    title=QT_TRANSLATE_NOOP("Panels", "&Console"),
    area="right",
    tab_of="source",
    keys=KEYS,
    factory="gradviz.viewer.console.panel:make_panel",
)
