"""Every text that a language may translate, in English."""

from __future__ import annotations

from gradviz.catalogue.backward_formulas import NOTES
from gradviz.catalogue.scene_keys import scene_group_key, scene_key
from gradviz.catalogue.templates import MESSAGES
from gradviz.gallery.registry import GROUPS, SCENES

ENGLISH = {
    **MESSAGES,
    **{f"formula.{name}": note for name, note in NOTES.items()},
    **{scene_group_key(each.id): each.title for each in GROUPS},
    **{scene_key(each.id, "title"): each.title for each in SCENES},
    **{scene_key(each.id, "summary"): each.summary for each in SCENES},
}
"""The texts by the keys of their translations."""
