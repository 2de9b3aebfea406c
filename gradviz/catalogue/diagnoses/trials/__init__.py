"""Mistakes that only tests beyond the Jacobians reveal, in the guide's order."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.trials.double_backward_cut import DOUBLE_BACKWARD_CUT
from gradviz.catalogue.diagnoses.trials.fails_for_size import FAILS_FOR_SIZE
from gradviz.catalogue.diagnoses.trials.fails_for_variation import FAILS_FOR_VARIATION
from gradviz.catalogue.diagnoses.trials.hidden_state import HIDDEN_STATE
from gradviz.catalogue.diagnoses.trials.inplace_damage import INPLACE_DAMAGE
from gradviz.catalogue.diagnoses.trials.mutates_grad_output import MUTATES_GRAD_OUTPUT
from gradviz.catalogue.diagnoses.trials.nondeterministic import NONDETERMINISTIC
from gradviz.catalogue.diagnoses.trials.stride_blind import STRIDE_BLIND
from gradviz.catalogue.diagnoses.trials.undefined_gradient import UNDEFINED_GRADIENT
from gradviz.catalogue.diagnoses.trials.wrong_batched_jvp import WRONG_BATCHED_JVP
from gradviz.catalogue.diagnoses.trials.wrong_jvp import WRONG_JVP
from gradviz.catalogue.diagnoses.trials.wrong_operation import WRONG_OPERATION
from gradviz.catalogue.diagnoses.trials.wrong_pass_gradient import WRONG_PASS_GRADIENT
from gradviz.catalogue.diagnoses.trials.wrong_vmap import WRONG_VMAP
from gradviz.catalogue.diagnoses.trials.wrong_vmap_rule import WRONG_VMAP_RULE

TRIALS = (
    WRONG_OPERATION,
    STRIDE_BLIND,
    MUTATES_GRAD_OUTPUT,
    UNDEFINED_GRADIENT,
    DOUBLE_BACKWARD_CUT,
    WRONG_PASS_GRADIENT,
    WRONG_JVP,
    WRONG_BATCHED_JVP,
    WRONG_VMAP,
    WRONG_VMAP_RULE,
    FAILS_FOR_SIZE,
    FAILS_FOR_VARIATION,
    NONDETERMINISTIC,
    HIDDEN_STATE,
    INPLACE_DAMAGE,
)
