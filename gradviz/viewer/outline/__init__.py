"""The Outline panel: the graph as a list, for keyboard and screen reader users."""

from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the outline"),
    (
        LocalKey(
            "go",
            ("Enter",),
            QT_TRANSLATE_NOOP("Keys", "Go to the node's step; on a module, expand or collapse it"),
        ),
    ),
)
PANEL = PanelSpec(
    name="outline",
    title=QT_TRANSLATE_NOOP("Panels", "&Outline"),
    area="left",
    icon="outline",
    tab_of="library",
    shown=False,
    keys=KEYS,
    factory="gradviz.viewer.outline.panel:make_panel",
)
