"""Mistakes that the Jacobians reveal, in the guide's order."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.numbers.constant_forward import CONSTANT_FORWARD
from gradviz.catalogue.diagnoses.numbers.detached import DETACHED
from gradviz.catalogue.diagnoses.numbers.dropped_none import DROPPED_NONE
from gradviz.catalogue.diagnoses.numbers.dropped_zero import DROPPED_ZERO
from gradviz.catalogue.diagnoses.numbers.extra_sum import EXTRA_SUM
from gradviz.catalogue.diagnoses.numbers.factor_batch_size import FACTOR_BATCH_SIZE
from gradviz.catalogue.diagnoses.numbers.factor_constant import FACTOR_CONSTANT
from gradviz.catalogue.diagnoses.numbers.factor_count import FACTOR_COUNT
from gradviz.catalogue.diagnoses.numbers.factor_elements import FACTOR_ELEMENTS
from gradviz.catalogue.diagnoses.numbers.factor_sign import FACTOR_SIGN
from gradviz.catalogue.diagnoses.numbers.ignores_grad_output import IGNORES_GRAD_OUTPUT
from gradviz.catalogue.diagnoses.numbers.masked_gradient import MASKED_GRADIENT
from gradviz.catalogue.diagnoses.numbers.missing_conjugate import MISSING_CONJUGATE
from gradviz.catalogue.diagnoses.numbers.missing_sum import MISSING_SUM
from gradviz.catalogue.diagnoses.numbers.missing_term import MISSING_TERM
from gradviz.catalogue.diagnoses.numbers.nonfinite_gradient import NONFINITE_GRADIENT
from gradviz.catalogue.diagnoses.numbers.not_expanded import NOT_EXPANDED
from gradviz.catalogue.diagnoses.numbers.sparse_mismatch import SPARSE_MISMATCH
from gradviz.catalogue.diagnoses.numbers.straight_through import STRAIGHT_THROUGH
from gradviz.catalogue.diagnoses.numbers.surplus_term import SURPLUS_TERM
from gradviz.catalogue.diagnoses.numbers.swapped_grad_outputs import SWAPPED_GRAD_OUTPUTS
from gradviz.catalogue.diagnoses.numbers.swapped_gradients import SWAPPED_GRADIENTS
from gradviz.catalogue.diagnoses.numbers.transposed import TRANSPOSED
from gradviz.catalogue.diagnoses.numbers.wrong_gradient_shape import WRONG_GRADIENT_SHAPE
from gradviz.catalogue.diagnoses.numbers.wrong_some_indices import WRONG_SOME_INDICES

NUMBERS = (
    TRANSPOSED,
    FACTOR_CONSTANT,
    FACTOR_SIGN,
    FACTOR_BATCH_SIZE,
    FACTOR_COUNT,
    FACTOR_ELEMENTS,
    MISSING_CONJUGATE,
    MISSING_SUM,
    EXTRA_SUM,
    NOT_EXPANDED,
    WRONG_GRADIENT_SHAPE,
    SWAPPED_GRADIENTS,
    SWAPPED_GRAD_OUTPUTS,
    MISSING_TERM,
    SURPLUS_TERM,
    DROPPED_ZERO,
    DROPPED_NONE,
    DETACHED,
    IGNORES_GRAD_OUTPUT,
    NONFINITE_GRADIENT,
    WRONG_SOME_INDICES,
    MASKED_GRADIENT,
    SPARSE_MISMATCH,
    STRAIGHT_THROUGH,
    CONSTANT_FORWARD,
)
