"""The guide: one page per scene and chapter, with links into the run."""

from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

PANEL = PanelSpec(
    name="guide",
    title=QT_TRANSLATE_NOOP("Panels", "G&uide"),
    area="left",
    icon="guide",
    tab_of="library",
    shown=False,
    factory="gradviz.viewer.guide.controller:make_panel",
)
