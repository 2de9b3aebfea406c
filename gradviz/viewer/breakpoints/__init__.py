"""Breakpoints: their list, their marks, and the commands that run to them."""

from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the list of breakpoints"),
    (
        LocalKey("go", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the next hit")),
        LocalKey("switch", ("Space",), QT_TRANSLATE_NOOP("Keys", "Turn the breakpoint on or off")),
        LocalKey(
            "remove", ("Del", "Backspace"), QT_TRANSLATE_NOOP("Keys", "Remove the breakpoint")
        ),
    ),
)
PANEL = PanelSpec(
    name="breakpoints",
    title=QT_TRANSLATE_NOOP("Panels", "&Breakpoints"),
    area="right",
    tab_of="source",
    shown=False,
    keys=KEYS,
    factory="gradviz.viewer.breakpoints.controller:make_panel",
)
