"""The Library panel: the gallery's scenes and the user's files."""

from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the library"),
    (LocalKey("run", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Run the selected entry")),),
)
PANEL = PanelSpec(
    name="library",
    title=QT_TRANSLATE_NOOP("Panels", "&Library"),
    area="left",
    icon="library",
    keys=KEYS,
    factory="gradviz.viewer.library.factory:make_panel",
)
