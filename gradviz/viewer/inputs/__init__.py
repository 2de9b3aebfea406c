"""The Inputs form, which sets the inputs that a Function is run with."""

from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.translation import QT_TRANSLATE_NOOP

PANEL = PanelSpec(
    name="inputs",
    title=QT_TRANSLATE_NOOP("Panels", "I&nputs"),
    area="left",
    icon="inputs",
    factory="gradviz.viewer.inputs.form:make_panel",
)
