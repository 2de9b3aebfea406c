"""The Locals panel: the local variables and the call stack at the current step."""

from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

PANEL = PanelSpec(
    name="locals",
    title=QT_TRANSLATE_NOOP("Panels", "Loc&als"),
    area="right",
    tab_of="source",
    factory="gradviz.viewer.locals.factory:make_panel",
)
