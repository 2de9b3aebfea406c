"""The Doctor: which rules a run has broken, where, and how to fix it."""

from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the list of findings"),
    (LocalKey("go", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the step of the finding")),),
)
PANEL = PanelSpec(
    name="doctor",
    title=QT_TRANSLATE_NOOP("Panels", "&Doctor"),
    area="right",
    tab_of="source",
    keys=KEYS,
    factory="gradviz.viewer.doctor.panel:make_panel",
)
