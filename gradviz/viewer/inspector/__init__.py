"""The Inspector: what happens at the current step, and all facts about its node."""

from gradviz.viewer.local_keys import LEVEL_KEYS, STEP_KEYS, KeyScope
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the inspector"),
    (
        *STEP_KEYS,
        *LEVEL_KEYS,
    ),
)
PANEL = PanelSpec(
    name="inspector",
    title=QT_TRANSLATE_NOOP("Panels", "&Inspector"),
    area="right",
    keys=KEYS,
    factory="gradviz.viewer.inspector.inspector:make_panel",
)
