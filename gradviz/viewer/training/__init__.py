"""The training panel: loss and gradient norms over the training steps of a run."""

from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

PANEL = PanelSpec(
    name="training",
    title=QT_TRANSLATE_NOOP("Panels", "&Training"),
    area="right",
    tab_of="source",
    shown=False,
    factory="gradviz.viewer.training.panel:make_panel",
)
