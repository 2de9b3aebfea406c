"""Rules on arguments, outputs and methods."""

from __future__ import annotations

from gradviz.catalogue.rules.arguments.autocast_without_custom_fwd import (
    AUTOCAST_WITHOUT_CUSTOM_FWD,
)
from gradviz.catalogue.rules.arguments.backward_and_vjp import BACKWARD_AND_VJP
from gradviz.catalogue.rules.arguments.captured_tensor import CAPTURED_TENSOR
from gradviz.catalogue.rules.arguments.custom_bwd_without_custom_fwd import (
    CUSTOM_BWD_WITHOUT_CUSTOM_FWD,
)
from gradviz.catalogue.rules.arguments.custom_fwd_without_custom_bwd import (
    CUSTOM_FWD_WITHOUT_CUSTOM_BWD,
)
from gradviz.catalogue.rules.arguments.forward_without_context import FORWARD_WITHOUT_CONTEXT
from gradviz.catalogue.rules.arguments.nested_tensor import NESTED_TENSOR
from gradviz.catalogue.rules.arguments.no_backward import NO_BACKWARD
from gradviz.catalogue.rules.arguments.not_applied import NOT_APPLIED
from gradviz.catalogue.rules.arguments.not_static import NOT_STATIC
from gradviz.catalogue.rules.arguments.outputs_in_container import OUTPUTS_IN_CONTAINER

ARGUMENTS = (
    NESTED_TENSOR,
    NOT_STATIC,
    NO_BACKWARD,
    BACKWARD_AND_VJP,
    CAPTURED_TENSOR,
    OUTPUTS_IN_CONTAINER,
    CUSTOM_BWD_WITHOUT_CUSTOM_FWD,
    AUTOCAST_WITHOUT_CUSTOM_FWD,
    CUSTOM_FWD_WITHOUT_CUSTOM_BWD,
    NOT_APPLIED,
    FORWARD_WITHOUT_CONTEXT,
)
