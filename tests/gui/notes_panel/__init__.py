"""An example panel: this folder and one line in the registry."""

from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_spec import PanelSpec

KEYS = KeyScope("In the notes", (LocalKey("clear", ("Del",), "Clear the notes"),))
PANEL = PanelSpec(
    name="notes",
    title="No&tes",
    area="right",
    tab_of="source",
    shown=False,
    keys=KEYS,
    factory="tests.gui.notes_panel.factory:make_panel",
)
