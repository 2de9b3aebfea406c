"""Rules on the gradients that backward receives and returns."""

from __future__ import annotations

from gradviz.catalogue.rules.gradients.backward_inside_backward import BACKWARD_INSIDE_BACKWARD
from gradviz.catalogue.rules.gradients.grad_output_count import GRAD_OUTPUT_COUNT
from gradviz.catalogue.rules.gradients.grad_output_unused import GRAD_OUTPUT_UNUSED
from gradviz.catalogue.rules.gradients.invalid_gradient import INVALID_GRADIENT
from gradviz.catalogue.rules.gradients.missing_gradient import MISSING_GRADIENT
from gradviz.catalogue.rules.gradients.needs_input_grad_index import NEEDS_INPUT_GRAD_INDEX
from gradviz.catalogue.rules.gradients.outputs_non_differentiable import (
    OUTPUTS_NON_DIFFERENTIABLE,
)
from gradviz.catalogue.rules.gradients.silent_cast import SILENT_CAST
from gradviz.catalogue.rules.gradients.silent_reduction import SILENT_REDUCTION
from gradviz.catalogue.rules.gradients.sparse_gradient import SPARSE_GRADIENT
from gradviz.catalogue.rules.gradients.surplus_none import SURPLUS_NONE
from gradviz.catalogue.rules.gradients.undefined_gradient import UNDEFINED_GRADIENT
from gradviz.catalogue.rules.gradients.undefined_gradient_unhandled import (
    UNDEFINED_GRADIENT_UNHANDLED,
)
from gradviz.catalogue.rules.gradients.wasted_gradient import WASTED_GRADIENT
from gradviz.catalogue.rules.gradients.wrong_gradient_count import WRONG_GRADIENT_COUNT

GRADIENTS = (
    MISSING_GRADIENT,
    WRONG_GRADIENT_COUNT,
    INVALID_GRADIENT,
    SILENT_REDUCTION,
    SILENT_CAST,
    WASTED_GRADIENT,
    SURPLUS_NONE,
    GRAD_OUTPUT_UNUSED,
    UNDEFINED_GRADIENT,
    UNDEFINED_GRADIENT_UNHANDLED,
    GRAD_OUTPUT_COUNT,
    NEEDS_INPUT_GRAD_INDEX,
    BACKWARD_INSIDE_BACKWARD,
    SPARSE_GRADIENT,
    OUTPUTS_NON_DIFFERENTIABLE,
)
