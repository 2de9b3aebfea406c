"""The rules for writing a custom Function, and the findings that report violations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from gradviz.catalogue.language import translated

RuleCheck = Literal["run", "check", "never"]
"""Where a violation of a rule is detected: in every run, in a Jacobian check, or not yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRule:
    """A rule for custom Functions.

    Attributes:
        number: Stable number, from 1.
        title: Short title.
        text: What the rule requires, and why.
        remedy: How to fix a violation.
        sought: Where violations are detected.
    """

    number: int
    title: str
    text: str
    remedy: str
    sought: RuleCheck = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingKind:
    """What findings with the same code have in common.

    Attributes:
        code: Stable identifier for programs.
        title: Short title.
        rule: Number of the rule that was violated; None if there is no such rule.
        about: Explanation for findings without a rule; may be empty.
        recording: Whether it concerns the recording rather than the recorded code.
    """

    code: str
    title: str
    rule: int | None = None
    about: str = ""
    recording: bool = False


RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        number=1,
        title="Save tensors with save_for_backward",
        text=(
            "Call ctx.save_for_backward at most once, in forward or in setup_context, "
            "with tensors or None. Saved tensors are freed after backward, and a change "
            "in place is detected. Neither is true of a tensor stored as an attribute of "
            "ctx: it may stay in memory, or hold other values by the time backward reads "
            "it."
        ),
        remedy="Pass the tensor to ctx.save_for_backward, and read it from ctx.saved_tensors.",
    ),
    FunctionRule(
        number=2,
        title="Save only inputs and outputs",
        text=(
            "Saved inputs and outputs keep their place in the graph. Any other tensor "
            "computed in forward has none, because forward runs without recording a "
            "graph: a second derivative treats it as a constant and is silently wrong."
        ),
        remedy=(
            "Recompute it in backward, return it as an additional output, or decorate "
            "backward with @once_differentiable, so that torch refuses a second "
            "derivative."
        ),
    ),
    FunctionRule(
        number=3,
        title="Return one gradient for each input, in order",
        text=(
            "backward receives one gradient for each output of forward and returns one "
            "for each input, in the same order. Return None for inputs that are not "
            "tensors or do not need a gradient; extra Nones at the end do no harm."
        ),
        remedy="Count the parameters of forward without ctx, and return that many values.",
    ),
    FunctionRule(
        number=4,
        title="Never change grad_output in place",
        text=(
            "The tensor that backward receives may be shared with another node, a hook, "
            "or the caller of backward. All of them would see the change."
        ),
        remedy="Compute a new tensor: grad_output * 2 instead of grad_output.mul_(2).",
    ),
    FunctionRule(
        number=5,
        title="Declare in-place changes and non-differentiable outputs",
        text=(
            "Declare an input that forward changes in place with ctx.mark_dirty, and "
            "return it: only then does its history go through the Function. Declare an "
            "output without a gradient with ctx.mark_non_differentiable; integer outputs "
            "never have a gradient."
        ),
        remedy="Call ctx.mark_dirty(x) and return x; or leave x unchanged and work on a copy.",
    ),
    FunctionRule(
        number=6,
        title="Handle undefined gradients",
        text=(
            "An output that is not used, or whose user returned None, has an undefined "
            "gradient. Torch then passes zeros to backward. After "
            "set_materialize_grads(False), it passes None, and backward must handle it."
        ),
        remedy="With set_materialize_grads(False), check whether the gradient is None first.",
    ),
    FunctionRule(
        number=7,
        title="Pass tensors as arguments, not inside other objects",
        text=(
            "autograd sees the tensors among the arguments of apply. It does not look "
            "inside a list, a dict or another object: tensors in there get no gradient."
        ),
        remedy="Unpack them with F.apply(*tensors), and return one gradient for each.",
    ),
    FunctionRule(
        number=8,
        title="Compute only the gradients that are needed",
        text=(
            "ctx.needs_input_grad says for each input whether its gradient will be used. "
            "A gradient that is not needed is discarded, and the time to compute it is "
            "wasted."
        ),
        remedy="Compute each gradient only if its ctx.needs_input_grad[i] is True.",
    ),
    FunctionRule(
        number=9,
        title="Use setup_context to store, not to compute",
        text=(
            "Defining setup_context keeps ctx out of forward, so that other torch "
            "transforms can use the Function. Anything that setup_context computes is "
            "lost to them."
        ),
        remedy="Return the value from forward, and save it in setup_context.",
        sought="never",
    ),
    FunctionRule(
        number=10,
        title="Check every backward",
        text=(
            "gradcheck compares backward with numerical derivatives; gradgradcheck does "
            "the same for the second derivative. Both need float64."
        ),
        remedy="Run the check in the Jacobians tab.",
        sought="check",
    ),
    FunctionRule(
        number=11,
        title="Keep the Function small",
        text=(
            "Leave outside whatever autograd can differentiate by itself: less code is "
            "written by hand, and less can go wrong."
        ),
        remedy="Move ordinary ops before or after the call to apply.",
        sought="never",
    ),
    FunctionRule(
        number=12,
        title="Keep state in a module",
        text=(
            "Parameters and buffers belong in a Module that registers them, not in a "
            "Function. parameters(), to() and state_dict() miss an unregistered one, so "
            "it is not trained, moved or saved."
        ),
        remedy="Make it an attribute of the module, or use ParameterList or register_buffer.",
    ),
    FunctionRule(
        number=13,
        title="Return gradients that match their inputs",
        text=(
            "A gradient should have the shape, dtype and device of its input. The engine "
            "silently sums larger gradients and casts other dtypes, which can hide a "
            "mistake."
        ),
        remedy="Sum over the broadcast dimensions and convert the dtype in backward.",
    ),
)

FINDINGS: tuple[FindingKind, ...] = (
    FindingKind(code="tensor_on_ctx", title="Tensor stored on ctx", rule=1),
    FindingKind(code="saved_intermediate", title="Intermediate tensor saved", rule=2),
    FindingKind(code="second_order_cut_saved", title="Second order: saved as a constant", rule=2),
    FindingKind(code="second_order_cut_context", title="Second order: stored on ctx", rule=2),
    FindingKind(code="second_order_cut_lost", title="Second order: history lost", rule=2),
    FindingKind(
        code="second_order_cut_unseen", title="Second order: computed outside autograd", rule=2
    ),
    FindingKind(
        code="second_order_cut_skipped", title="Second order: error node not reached", rule=2
    ),
    FindingKind(
        code="second_order_cut_once", title="Second order: declared once_differentiable", rule=2
    ),
    FindingKind(code="missing_gradient", title="Missing gradient", rule=3),
    FindingKind(code="wrong_gradient_count", title="Wrong number of gradients", rule=3),
    FindingKind(code="grad_output_modified", title="grad_output changed in place", rule=4),
    FindingKind(code="in_place_unmarked", title="In-place change not declared", rule=5),
    FindingKind(code="undefined_gradient", title="Undefined gradient", rule=6),
    FindingKind(code="nested_tensor", title="Tensors inside an argument", rule=7),
    FindingKind(code="wasted_gradient", title="Unneeded gradient", rule=8),
    FindingKind(code="unregistered_parameter", title="Unregistered parameter", rule=12),
    FindingKind(code="silent_reduction", title="Gradient summed by the engine", rule=13),
    FindingKind(code="silent_cast", title="Gradient cast by the engine", rule=13),
    FindingKind(code="invalid_gradient", title="Invalid gradient", rule=13),
    FindingKind(
        code="saved_modified",
        title="Saved tensor changed in place",
        about=(
            "Each tensor counts its in-place changes in a version counter. Saving "
            "remembers the counter, and reading compares it: if it has changed, torch "
            "raises an error, because a gradient computed from the new values would be "
            "wrong."
        ),
    ),
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
        code="gradient_replaced",
        title="Gradient changed by a hook",
        about="A hook can replace a gradient; torch then passes on the new one.",
    ),
    FindingKind(
        code="gradient_hooked",
        title="Gradient changed by a tensor hook",
        about="A hook on a tensor can replace the gradient that arrives there.",
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
    FindingKind(code="backward_start", title="Where backward starts", recording=True),
    FindingKind(code="recorder_trouble", title="Recording partly failed", recording=True),
)

_KIND_OF = {kind.code: kind for kind in FINDINGS}


def rules(sought: RuleCheck) -> Iterator[FunctionRule]:
    """The rules whose violations are detected there, in the language of the sentences."""
    return (_translated_rule(rule) for rule in RULES if rule.sought == sought)


def rule_of(code: str) -> FunctionRule | None:
    """The rule that findings with a code violate; None if there is none."""
    kind = _KIND_OF.get(code)
    return None if kind is None or kind.rule is None else _translated_rule(RULES[kind.rule - 1])


def finding_kind(code: str) -> FindingKind:
    """The kind of findings with a code; for an unknown code, just the code as a title."""
    kind = _KIND_OF.get(code)
    if kind is None:
        return FindingKind(code=code, title=code.replace("_", " "))
    title = translated(f"finding.{code}.title", kind.title)
    return replace(kind, title=title, about=translated(f"finding.{code}.about", kind.about))


def english_texts() -> dict[str, str]:
    """All texts of rules and kinds of findings, with the keys for translations."""
    texts = {f"rule.{rule.number}.title": rule.title for rule in RULES}
    texts |= {f"rule.{rule.number}.text": rule.text for rule in RULES}
    texts |= {f"rule.{rule.number}.remedy": rule.remedy for rule in RULES}
    texts |= {f"finding.{kind.code}.title": kind.title for kind in FINDINGS}
    return texts | {f"finding.{kind.code}.about": kind.about for kind in FINDINGS if kind.about}


def _translated_rule(rule: FunctionRule) -> FunctionRule:
    key = f"rule.{rule.number}"
    return replace(
        rule,
        title=translated(f"{key}.title", rule.title),
        text=translated(f"{key}.text", rule.text),
        remedy=translated(f"{key}.remedy", rule.remedy),
    )
