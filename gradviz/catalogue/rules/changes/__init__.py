"""Rules on changes in place."""

from __future__ import annotations

from gradviz.catalogue.rules.changes.dirty_not_returned import DIRTY_NOT_RETURNED
from gradviz.catalogue.rules.changes.grad_output_modified import GRAD_OUTPUT_MODIFIED
from gradviz.catalogue.rules.changes.in_place_unmarked import IN_PLACE_UNMARKED
from gradviz.catalogue.rules.changes.leaf_changed_in_place import LEAF_CHANGED_IN_PLACE
from gradviz.catalogue.rules.changes.returned_input import RETURNED_INPUT
from gradviz.catalogue.rules.changes.saved_modified_in_backward import SAVED_MODIFIED_IN_BACKWARD
from gradviz.catalogue.rules.changes.unmarked_output import UNMARKED_OUTPUT

CHANGES = (
    GRAD_OUTPUT_MODIFIED,
    IN_PLACE_UNMARKED,
    DIRTY_NOT_RETURNED,
    UNMARKED_OUTPUT,
    RETURNED_INPUT,
    SAVED_MODIFIED_IN_BACKWARD,
    LEAF_CHANGED_IN_PLACE,
)
