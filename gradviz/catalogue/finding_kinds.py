"""What findings with the same code have in common, whether they violate a rule or not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gradviz.catalogue.error_pages import ERROR_PAGES
from gradviz.catalogue.language import translated
from gradviz.catalogue.rules import doctor_rule


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingKind:
    """What findings with the same code have in common.

    Attributes:
        code: Stable identifier for programs.
        title: Short title.
        about: Explanation; may be empty.
        remedy: How to fix it; empty if nothing needs to be fixed.
        rule: Id of the doctor's rule that was violated, such as ``GV101``; empty if there is none.
        page: Name of the guide's page about it; empty if there is none.
        recording: Whether it concerns the recording rather than the recorded code.
    """

    code: str
    title: str
    about: str = ""
    remedy: str = ""
    rule: str = ""
    page: str = ""
    recording: bool = False


OTHER_KINDS: tuple[FindingKind, ...] = (
    FindingKind(
        code="numpy_unseen",
        title="Computed outside torch",
        about=(
            "autograd records what torch computes. It does not see what NumPy or C++ "
            "computes in between. This is what a custom Function is for, with a backward "
            "written by hand."
        ),
    ),
    FindingKind(
        code="freed_graph",
        title="Graph of an earlier pass used again",
        about=(
            "A backward pass frees what nodes have saved as soon as they have run. "
            "retain_graph=True keeps it, but an optimizer may then overwrite it."
        ),
    ),
    FindingKind(
        code="no_history",
        title="backward starts at a tensor without a history",
        about=(
            "A result has a history if something that it was computed from requires a gradient and "
            "each step between them was recorded by autograd. requires_grad_() on the result "
            "only hides that: it makes a new leaf, and no parameter gets a gradient."
        ),
    ),
    FindingKind(
        code="history_hidden",
        title="Missing history hidden",
        about=(
            "requires_grad_() restores no history: it makes a new leaf of a result that has none. "
            "backward then raises no error, and no parameter gets a gradient."
        ),
    ),
    FindingKind(
        code="many_outputs",
        title="backward from more than one number",
        about=(
            "backward computes how one number changes. From a tensor of several, it computes their "
            "sum weighted with the gradient that it is given."
        ),
    ),
    FindingKind(
        code="complex_output",
        title="backward from a complex number",
        about="Only of a real number one can say whether it becomes smaller, as of a loss.",
    ),
    FindingKind(
        code="inference_tensor",
        title="Tensor of inference mode in grad mode",
        about=(
            "Tensors made under torch.inference_mode() have no version counter, so autograd could "
            "not notice a change between forward and backward."
        ),
    ),
    FindingKind(
        code="copy_of_result",
        title="Tensor with a history copied",
        about=(
            "Only leaves can be copied with copy.deepcopy: a copied result would need a copy of "
            "the graph that made it."
        ),
    ),
    FindingKind(
        code="hooked_output_changed",
        title="In-place change behind a full backward hook",
        about=(
            "A full backward hook passes the inputs and outputs of its module through a node of "
            "its own, which makes views of them. Torch refuses to change those in place."
        ),
    ),
    FindingKind(
        code="parameters_unused",
        title="Parameters without a gradient under DDP",
        about="DistributedDataParallel waits for the gradient of each parameter in each iteration.",
    ),
    FindingKind(
        code="sparse_refused",
        title="Optimizer without sparse gradients",
        about=(
            "A sparse gradient has only the rows that a lookup has used. Most optimizers need all, "
            "and SparseAdam takes no dense ones."
        ),
    ),
    FindingKind(
        code="recomputed_differently",
        title="Checkpoint recomputes something else",
        about=(
            "A checkpoint saves no intermediate values: it runs its function again in backward, "
            "and the result is only right if that computes the same."
        ),
    ),
    FindingKind(
        code="input_unused",
        title="Result does not depend on the input",
        about="There is a gradient only for what a result was computed from, along the graph.",
    ),
    FindingKind(
        code="input_without_grad",
        title="Gradient of a tensor that requires none",
        about=(
            "autograd records only what depends on a tensor that requires grad, so a gradient "
            "can't be asked for afterwards."
        ),
    ),
    FindingKind(
        code="gradients_not_cleared",
        title="Gradients of two iterations added",
        about=(
            "backward adds to .grad. Without zero_grad(), an optimizer uses the sum of the "
            "gradients of all iterations so far."
        ),
    ),
    FindingKind(
        code="gradients_cleared_early",
        title="Gradients cleared before the step",
        about=(
            "An optimizer uses what is in .grad when its step is called. If zero_grad() comes "
            "between backward and step, that is nothing."
        ),
    ),
    FindingKind(
        code="gradient_always_zero",
        title="Gradient always zero",
        about=(
            "A gradient of zero changes no parameter. It becomes zero where an op has a "
            "derivative of zero, or where it is too small for its dtype."
        ),
    ),
    FindingKind(
        code="nan_gradient",
        title="NaN in a gradient",
        about=(
            "Some functions have an infinite or undefined derivative at single values. Infinity "
            "times zero is NaN, so even a masked element makes the whole gradient NaN."
        ),
    ),
    FindingKind(
        code="shared_gradient_changed",
        title="Shared gradient changed in place",
        about=(
            "A node may pass the same tensor along several edges, as an addition does. What a hook "
            "writes to it arrives everywhere."
        ),
    ),
    FindingKind(
        code="no_effect",
        title="Line without effect",
        about=(
            "Python accepts a method that is named and not called, a misspelled attribute and a "
            "variable that gets another value. Torch never hears of them."
        ),
    ),
    FindingKind(
        code="scheduler_first",
        title="Scheduler before the optimizer",
        about=(
            "A scheduler sets the learning rate of the next step. If it steps first, the first "
            "rate of its schedule is never used."
        ),
    ),
    FindingKind(
        code="number_in_loss",
        title="Python number in a loss",
        about="item() and float() return numbers that have no history, so they are constants.",
    ),
    FindingKind(
        code="gradients_still_scaled",
        title="Gradients of a scaled loss",
        about=(
            "A loss is multiplied so that small gradients do not become zero in half precision. "
            "The gradients have the same factor, and have to be divided by it again."
        ),
    ),
    FindingKind(
        code="gradients_not_stored",
        title="Gradients that were not stored",
        about=(
            "Optimizers read .grad, which backward() sets. autograd.grad returns gradients instead."
        ),
    ),
    FindingKind(
        code="remade_in_loop",
        title="Model or optimizer made in a loop",
        about=(
            "A model has what it has learned in its parameters, and an optimizer such as Adam has "
            "averages of earlier gradients. New ones have neither."
        ),
    ),
    FindingKind(
        code="losses_unused",
        title="Losses without backward",
        about=(
            "A variable that a loop assigns has only its last value after the loop, with the graph "
            "of the last iteration."
        ),
    ),
    FindingKind(
        code="requires_grad_late",
        title="requires_grad after forward",
        about=(
            "Autograd records an op when it runs. What did not require a gradient then is a "
            "constant in the graph."
        ),
    ),
    FindingKind(
        code="target_not_detached",
        title="Target with a history",
        about=(
            "Q-learning and actor-critic methods compare a value with a reward and a later value. "
            "Only the first one should change."
        ),
    ),
    FindingKind(
        code="generator_used_up",
        title="Generator of parameters used up",
        about=(
            "module.parameters() can be iterated only once. What gets it later gets nothing, and "
            "mostly raises no error."
        ),
    ),
    FindingKind(
        code="hooks_skipped",
        title="Hooks skipped by a call of forward",
        about="A module runs its hooks when it is called itself; forward is only a part of that.",
    ),
    FindingKind(
        code="gradient_not_kept",
        title="Gradient of a result read",
        about=(
            "A leaf is a tensor that was not computed from others that require a gradient. Only "
            "leaves keep their gradient in .grad; to(), a product or a sum makes a new result."
        ),
    ),
    FindingKind(
        code="nan_in_forward",
        title="NaN or Inf in forward",
        about=(
            "What is computed from NaN is NaN, and so are the gradients. One element is enough, in "
            "the data or in a result."
        ),
    ),
    FindingKind(
        code="layer_not_registered",
        title="Layer not registered",
        about=(
            "A module knows the modules that are its attributes, and those in nn.ModuleList "
            "and nn.ModuleDict, but not those in a plain list or dict."
        ),
    ),
    FindingKind(
        code="layer_replaced",
        title="Layer replaced after the optimizer was created",
        about=(
            "An optimizer keeps the parameters that it was given. It does not follow later "
            "changes of the model."
        ),
    ),
    FindingKind(
        code="parameter_not_optimized",
        title="Parameter in no optimizer",
        about=(
            "backward computes the gradient of each leaf that requires one, whether an "
            "optimizer uses it or not."
        ),
    ),
    FindingKind(
        code="parameter_cut_off",
        title="Parameter that gets no gradient",
        about=(
            "Only ops that record a history lead backward to a parameter. An optimizer skips "
            "parameters without a gradient."
        ),
    ),
    FindingKind(
        code="sample_without_gradient",
        title="Sample without a gradient",
        about=(
            "sample() of a distribution and torch.normal pass no gradient to the parameters that "
            "they draw from. rsample() does."
        ),
    ),
    FindingKind(
        code="constant_loss_term",
        title="Gradient used as a constant",
        about=(
            "autograd.grad returns a tensor without a graph, unless it is called with "
            "create_graph=True."
        ),
    ),
    FindingKind(
        code="scaled_gradients_clipped",
        title="Scaled gradients clipped",
        about=(
            "A GradScaler multiplies the loss, and so all gradients, by a large factor, which "
            "it divides out again in unscale_ or step."
        ),
    ),
    FindingKind(
        code="probabilities_as_logits",
        title="Softmax or sigmoid applied twice",
        about=("Losses that expect logits apply softmax or sigmoid themselves."),
    ),
    FindingKind(
        code="loss_broadcasts",
        title="Loss of broadcast shapes",
        about=("Tensors of shape [N, 1] and [N] are broadcast to [N, N]."),
    ),
    FindingKind(
        code="evaluation_mode",
        title="Training in evaluation mode",
        about=(
            "eval() lasts until train() is called. Until then, dropout drops nothing and batch "
            "norm uses its running statistics."
        ),
    ),
    FindingKind(
        code="graph_kept",
        title="Graphs of iterations kept",
        about=(
            "A tensor keeps the graph that it was computed with. A sum of losses keeps the "
            "graphs of all of them."
        ),
    ),
    FindingKind(
        code="checkpoint_without_gradient",
        title="Checkpoint without a gradient",
        about=(
            "The reentrant checkpoint is a node of the graph only if one of its inputs "
            "requires a gradient."
        ),
    ),
    FindingKind(
        code="gradient_replaced",
        title="Gradient changed by a hook",
        about="A hook can replace a gradient; torch then passes on the new one.",
    ),
    FindingKind(
        code="gradient_hooked",
        title="Gradient changed on arrival by a hook",
        about="A hook on a tensor or a node can replace the gradient that arrives there.",
    ),
    FindingKind(
        code="total_replaced",
        title=".grad changed by a hook",
        about="A post-accumulate-grad hook runs when .grad is complete, and can change it.",
    ),
    FindingKind(
        code="gradient_retained",
        title="Retained gradient",
        about="By default, only leaves keep their gradient; retain_grad() makes another tensor "
        "keep it, too.",
    ),
    FindingKind(
        code="shared_parameter",
        title="Shared parameter",
        about="If modules share a parameter, each use of it accumulates into the same .grad.",
    ),
    FindingKind(
        code="forced_eager",
        title="Run eagerly, not compiled",
        recording=True,
    ),
    FindingKind(code="what_if", title="Changed by What If", recording=True),
    FindingKind(code="what_if_refused", title="What If change not applied", recording=True),
    FindingKind(code="lines_left_out", title="Lines left out", recording=True),
    FindingKind(code="ops_left_out", title="Ops left out", recording=True),
    FindingKind(code="other_dtype", title="Different dtype than requested", recording=True),
    FindingKind(code="module_setup", title="How the Module was set up", recording=True),
    FindingKind(code="backward_start", title="Where backward starts", recording=True),
    FindingKind(code="trace_damaged", title="Trace damaged", recording=True),
    FindingKind(code="training_unread", title="Training not examined", recording=True),
    FindingKind(code="recorder_trouble", title="Recording partly failed", recording=True),
)
"""Kinds of findings that violate no rule of the doctor."""

_OTHERS = {kind.code: kind for kind in OTHER_KINDS}

MESSAGES_KINDS = {
    **{f"finding.{kind.code}.title": kind.title for kind in OTHER_KINDS},
    **{f"finding.{kind.code}.about": kind.about for kind in OTHER_KINDS if kind.about},
}
"""Texts of the kinds of findings that violate no rule."""


def finding_kind(code: str) -> FindingKind:
    """The kind of findings with a code; for an unknown code, just the code as a title."""
    rule, page = doctor_rule(code), ERROR_PAGES.get(code, "")
    if rule is not None:
        return FindingKind(
            code=code,
            title=rule.cases.get(code, rule.title),
            about=rule.why,
            remedy=rule.remedy,
            rule=rule.id,
            page=page or rule.id,
        )
    kind = _OTHERS.get(code)
    if kind is None:
        return FindingKind(code=code, title=code.replace("_", " "))
    title = translated(f"finding.{code}.title", kind.title)
    about = translated(f"finding.{code}.about", kind.about)
    return replace(kind, title=title, about=about, page=page)
