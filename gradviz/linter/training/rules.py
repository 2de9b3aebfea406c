"""All rules on training, which look for their mistakes in the trace of a run."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.linter.training.bootstrapped_targets import find_bootstrapped_targets
from gradviz.linter.training.calls_without_effect import (
    find_skipped_hooks,
    find_used_up_generators,
)
from gradviz.linter.training.checkpoints import find_checkpoints_without_gradient
from gradviz.linter.training.cleared_gradients import (
    find_cleared_accumulations,
    find_gradients_cleared_early,
    find_uncleared_gradients,
    find_uncleared_updates,
)
from gradviz.linter.training.constant_gradients import (
    find_constant_gradients,
    find_constant_numbers,
    find_grad_read_in_losses,
)
from gradviz.linter.training.detached_samples import find_detached_samples
from gradviz.linter.training.evaluation_mode import find_evaluation_mode
from gradviz.linter.training.gradients_of_other_losses import find_gradients_of_other_losses
from gradviz.linter.training.kept_losses import find_kept_losses
from gradviz.linter.training.late_requires_grad import find_late_requires_grad
from gradviz.linter.training.lines_without_effect import (
    find_clipping_without_effect,
    find_idle_optimizers,
    find_lines_without_effect,
)
from gradviz.linter.training.losses import (
    find_broadcast_losses,
    find_kept_graphs,
    find_probabilities_as_logits,
)
from gradviz.linter.training.missed_gradients import (
    find_copied_models,
    find_missed_gradients,
    find_unstored_gradients,
)
from gradviz.linter.training.nan_gradients import find_nan_gradients
from gradviz.linter.training.optimized_parameters import (
    find_forgotten_parameters,
    find_parameters_without_gradient,
)
from gradviz.linter.training.remade_objects import find_remade_objects
from gradviz.linter.training.scaled_gradients import find_scaled_clipping, find_scaled_updates
from gradviz.linter.training.schedulers import find_early_schedulers
from gradviz.linter.training.shared_gradients import (
    find_changed_expanded_gradients,
    find_changed_shared_gradients,
)
from gradviz.linter.training.training_run import (
    CutOff,
    MissedGradient,
    Problems,
    TrainingRule,
    TrainingSteps,
)
from gradviz.linter.training.unused_losses import find_unused_losses
from gradviz.linter.training.zero_gradients import find_zero_gradients

TRAINING_RULES: tuple[TrainingRule, ...] = (
    find_uncleared_gradients,
    find_uncleared_updates,
    find_gradients_cleared_early,
    find_gradients_of_other_losses,
    find_cleared_accumulations,
    find_zero_gradients,
    find_nan_gradients,
    find_forgotten_parameters,
    find_parameters_without_gradient,
    find_missed_gradients,
    find_unstored_gradients,
    find_copied_models,
    find_detached_samples,
    find_late_requires_grad,
    find_constant_gradients,
    find_grad_read_in_losses,
    find_constant_numbers,
    find_bootstrapped_targets,
    find_remade_objects,
    find_unused_losses,
    find_evaluation_mode,
    find_scaled_updates,
    find_scaled_clipping,
    find_changed_shared_gradients,
    find_changed_expanded_gradients,
    find_probabilities_as_logits,
    find_broadcast_losses,
    find_kept_graphs,
    find_kept_losses,
    find_checkpoints_without_gradient,
    find_used_up_generators,
    find_skipped_hooks,
    find_early_schedulers,
    find_idle_optimizers,
    find_clipping_without_effect,
)

_LOST = ("no_history", "history_hidden")


def training_problems(
    index: TraceIndex, cuts: Iterable[CutOff] = (), missed: Iterable[MissedGradient] = ()
) -> Problems:
    """Mistakes of a training that torch does not refuse, rule by rule.

    Args:
        index: The trace.
        cuts: Where histories ended, in order of the run.
        missed: Results whose ``.grad`` was read and is None.
    """
    run = TrainingSteps(index, cuts, missed)
    if run.begins or run.updates:
        yield from find_lines_without_effect(run)
    # All else that a run without a history shows follows from that.
    if not run.begins or any(each.code in _LOST for each in index.trace.findings):
        return
    for rule in TRAINING_RULES:
        yield from rule(run)
