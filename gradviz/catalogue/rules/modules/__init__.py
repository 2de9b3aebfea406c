"""Rules on transforms and modules."""

from __future__ import annotations

from gradviz.catalogue.rules.modules.ambiguous_vmap import AMBIGUOUS_VMAP
from gradviz.catalogue.rules.modules.context_with_setup_context import CONTEXT_WITH_SETUP_CONTEXT
from gradviz.catalogue.rules.modules.setup_context_computes import SETUP_CONTEXT_COMPUTES
from gradviz.catalogue.rules.modules.setup_context_signature import SETUP_CONTEXT_SIGNATURE
from gradviz.catalogue.rules.modules.unregistered_parameter import UNREGISTERED_PARAMETER
from gradviz.catalogue.rules.modules.vmap_missing import VMAP_MISSING
from gradviz.catalogue.rules.modules.vmap_without_setup_context import VMAP_WITHOUT_SETUP_CONTEXT

MODULES = (
    SETUP_CONTEXT_COMPUTES,
    AMBIGUOUS_VMAP,
    VMAP_WITHOUT_SETUP_CONTEXT,
    CONTEXT_WITH_SETUP_CONTEXT,
    VMAP_MISSING,
    SETUP_CONTEXT_SIGNATURE,
    UNREGISTERED_PARAMETER,
)
