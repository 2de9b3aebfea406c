"""All rules on training, which look for their mistakes in the trace of a run."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.linter.training import (
    bootstrapped_targets,
    calls_without_effect,
    checkpoints,
    cleared_gradients,
    constant_gradients,
    detached_samples,
    evaluation_mode,
    gradients_of_other_losses,
    kept_losses,
    late_requires_grad,
    lines_without_effect,
    losses,
    missed_gradients,
    nan_gradients,
    optimized_parameters,
    remade_objects,
    scaled_gradients,
    schedulers,
    shared_gradients,
    unused_losses,
    zero_gradients,
)
from gradviz.linter.training.training_run import (
    CutOff,
    MissedGradient,
    Problems,
    TrainingRule,
    TrainingSteps,
)

TRAINING_RULES: tuple[TrainingRule, ...] = (
    cleared_gradients.find_uncleared_gradients,
    cleared_gradients.find_uncleared_updates,
    cleared_gradients.find_gradients_cleared_early,
    gradients_of_other_losses.find_gradients_of_other_losses,
    cleared_gradients.find_cleared_accumulations,
    zero_gradients.find_zero_gradients,
    nan_gradients.find_nan_gradients,
    optimized_parameters.find_forgotten_parameters,
    optimized_parameters.find_parameters_without_gradient,
    missed_gradients.find_missed_gradients,
    missed_gradients.find_unstored_gradients,
    missed_gradients.find_copied_models,
    detached_samples.find_detached_samples,
    late_requires_grad.find_late_requires_grad,
    constant_gradients.find_constant_gradients,
    constant_gradients.find_grad_read_in_losses,
    constant_gradients.find_constant_numbers,
    bootstrapped_targets.find_bootstrapped_targets,
    remade_objects.find_remade_objects,
    unused_losses.find_unused_losses,
    evaluation_mode.find_evaluation_mode,
    scaled_gradients.find_scaled_updates,
    scaled_gradients.find_scaled_clipping,
    shared_gradients.find_changed_shared_gradients,
    shared_gradients.find_changed_expanded_gradients,
    losses.find_probabilities_as_logits,
    losses.find_broadcast_losses,
    losses.find_kept_graphs,
    kept_losses.find_kept_losses,
    checkpoints.find_checkpoints_without_gradient,
    calls_without_effect.find_used_up_generators,
    calls_without_effect.find_skipped_hooks,
    schedulers.find_early_schedulers,
    lines_without_effect.find_idle_optimizers,
    lines_without_effect.find_clipping_without_effect,
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
        yield from lines_without_effect.find_lines_without_effect(run)
    # All else that a run without a history shows follows from that.
    if not run.begins or any(each.code in _LOST for each in index.trace.findings):
        return
    for rule in TRAINING_RULES:
        yield from rule(run)
