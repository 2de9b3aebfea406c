"""Rules on what forward saves for backward."""

from __future__ import annotations

from gradviz.catalogue.rules.saving.context_attribute_missing import CONTEXT_ATTRIBUTE_MISSING
from gradviz.catalogue.rules.saving.saved_count import SAVED_COUNT
from gradviz.catalogue.rules.saving.saved_intermediate import SAVED_INTERMEDIATE
from gradviz.catalogue.rules.saving.saved_modified import SAVED_MODIFIED
from gradviz.catalogue.rules.saving.saved_not_tensor import SAVED_NOT_TENSOR
from gradviz.catalogue.rules.saving.saved_tensors_in_forward import SAVED_TENSORS_IN_FORWARD
from gradviz.catalogue.rules.saving.saved_twice import SAVED_TWICE
from gradviz.catalogue.rules.saving.saved_unused import SAVED_UNUSED
from gradviz.catalogue.rules.saving.tensor_on_class import TENSOR_ON_CLASS
from gradviz.catalogue.rules.saving.tensor_on_ctx import TENSOR_ON_CTX

SAVING = (
    TENSOR_ON_CTX,
    SAVED_INTERMEDIATE,
    SAVED_MODIFIED,
    SAVED_TWICE,
    SAVED_UNUSED,
    SAVED_NOT_TENSOR,
    SAVED_TENSORS_IN_FORWARD,
    SAVED_COUNT,
    CONTEXT_ATTRIBUTE_MISSING,
    TENSOR_ON_CLASS,
)
