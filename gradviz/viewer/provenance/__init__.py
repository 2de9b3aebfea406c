"""The Origin panel: where a value came from, and the history of a tensor's memory."""

from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

PANEL = PanelSpec(
    name="story",
    title=QT_TRANSLATE_NOOP("Panels", "Ori&gin"),
    area="right",
    tab_of="source",
    shown=False,
    factory="gradviz.viewer.provenance.panel:make_panel",
)
