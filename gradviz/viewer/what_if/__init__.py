"""The What If panel: changed inputs, the run with them, and the differences."""

from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the What If list"),
    (
        LocalKey("edit", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Edit the change")),
        LocalKey("switch", ("Space",), QT_TRANSLATE_NOOP("Keys", "Turn the change on or off")),
        LocalKey("remove", ("Del", "Backspace"), QT_TRANSLATE_NOOP("Keys", "Remove the change")),
    ),
)
PANEL = PanelSpec(
    name="changes",
    title=QT_TRANSLATE_NOOP("Panels", "&What If"),
    area="right",
    tab_of="source",
    shown=False,
    keys=KEYS,
    factory="gradviz.viewer.what_if.controller:make_panel",
)
