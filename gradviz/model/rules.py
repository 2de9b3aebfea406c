"""The rules of writing a custom Function, and which finding tells that one was not kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Sought = Literal["run", "check", "never"]
"""Where a break of a rule is looked for: in every run, in a Jacobian check, nowhere yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a custom Function has to keep to.

    Attributes:
        number: From 1, the same for ever.
        title: In a few words.
        text: What it asks for, and why.
        remedy: What helps where it was not kept.
        sought: Where it is looked for.
    """

    number: int
    title: str
    text: str
    remedy: str
    sought: Sought = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingKind:
    """What findings with one code have in common.

    Attributes:
        code: Word for programs.
        title: In a few words.
        rule: Number of the rule that it is about; None where it is about none of them.
        about: What there is to say where no rule says it; may be empty.
        recording: Whether it tells of the recording, and not of the code that was recorded.
    """

    code: str
    title: str
    rule: int | None = None
    about: str = ""
    recording: bool = False


RULES: tuple[Rule, ...] = (
    Rule(
        number=1,
        title="Save tensors with save_for_backward",
        text=(
            "Call ctx.save_for_backward at most once, in forward or in setup_context, and give it"
            " tensors or None. What it keeps is freed after backward, and a change in place is"
            " noticed. A tensor kept as an attribute of ctx has neither: it may stay in memory, or"
            " be another one by the time backward reads it."
        ),
        remedy="Give the tensor to ctx.save_for_backward, and read it from ctx.saved_tensors.",
    ),
    Rule(
        number=2,
        title="Save inputs and outputs only",
        text=(
            "Saved inputs and outputs keep their place in the graph. Anything else that was"
            " computed in forward has none, as forward runs without one: a second derivative takes"
            " it for a constant, and is wrong without a word."
        ),
        remedy=(
            "Compute it anew in backward, or return it as a further output, or declare backward"
            " with @once_differentiable, so that torch refuses a second derivative."
        ),
    ),
    Rule(
        number=3,
        title="One gradient for each input, in order",
        text=(
            "backward is given one gradient for each output of forward and returns one for each"
            " input, in the same order. What is no tensor, and what needs no gradient, gets None;"
            " further Nones at the end do no harm."
        ),
        remedy="Count the parameters of forward without ctx, and return as many values.",
    ),
    Rule(
        number=4,
        title="Never change a grad_output in place",
        text=(
            "The tensor that arrives in backward may belong to others as well: to another node, to"
            " a hook, or to whoever called backward. They would all see the change."
        ),
        remedy="Compute a new tensor: grad_output * 2 instead of grad_output.mul_(2).",
    ),
    Rule(
        number=5,
        title="Declare what is changed in place, and what has no gradient",
        text=(
            "An input that forward changes in place is to be declared by ctx.mark_dirty and"
            " returned: only then does its history go through the Function. An output without a"
            " gradient is to be declared by ctx.mark_non_differentiable; outputs of whole numbers"
            " never have one."
        ),
        remedy="Call ctx.mark_dirty(x) and return x; or leave x as it is and work on a copy.",
    ),
    Rule(
        number=6,
        title="Be ready for gradients that are undefined",
        text=(
            "An output that nobody used, or whose user returned None, has no gradient. backward"
            " then gets zeros that torch made up, or None after set_materialize_grads(False), and"
            " that is to be handled."
        ),
        remedy="With set_materialize_grads(False), ask whether the gradient is None first.",
    ),
    Rule(
        number=7,
        title="Give tensors as arguments, not inside of others",
        text=(
            "autograd sees the tensors among the arguments of apply. Those inside of a list, a dict"
            " or another object it does not look for: they get no gradient."
        ),
        remedy="Unpack them: F.apply(*tensors), and return one gradient for each.",
    ),
    Rule(
        number=8,
        title="Compute only what is needed",
        text=(
            "ctx.needs_input_grad tells for each input whether its gradient will be used. One that"
            " is not needed is thrown away, with the time that it took."
        ),
        remedy="Put each gradient behind: if ctx.needs_input_grad[0].",
    ),
    Rule(
        number=9,
        title="setup_context stores and computes nothing",
        text=(
            "The split form keeps forward free of ctx, so that other transforms of torch can use"
            " it. What setup_context computes is lost for them."
        ),
        remedy="Return the value from forward, and save it in setup_context.",
        sought="never",
    ),
    Rule(
        number=10,
        title="Check every backward",
        text=(
            "gradcheck compares backward with numerical derivatives, gradgradcheck does it for the"
            " second derivative. Both want float64."
        ),
        remedy="Run the check on the tab of the Jacobians.",
        sought="check",
    ),
    Rule(
        number=11,
        title="Keep the Function small",
        text=(
            "What autograd can differentiate by itself stays outside: less is written by hand, and"
            " less can be wrong."
        ),
        remedy="Move ordinary ops before and after the call of apply.",
        sought="never",
    ),
    Rule(
        number=12,
        title="State belongs to a module",
        text=(
            "Parameters and buffers live in a Module that has registered them, not in a Function."
            " One that is not registered is missed by parameters(), by to() and by state_dict(),"
            " and so it is neither trained, nor moved, nor stored."
        ),
        remedy="Assign it as an attribute of the module, or use ParameterList or register_buffer.",
    ),
    Rule(
        number=13,
        title="Return gradients in the form of their inputs",
        text=(
            "A gradient should have the shape, dtype and device of its input. The engine sums what"
            " is larger and casts other dtypes silently, so that a mistake can hide there."
        ),
        remedy="Sum over the broadcast dimensions in backward, and convert the dtype there.",
    ),
)

FINDINGS: tuple[FindingKind, ...] = (
    FindingKind(code="tensor_on_ctx", title="A tensor on ctx", rule=1),
    FindingKind(code="saved_intermediate", title="An intermediate was saved", rule=2),
    FindingKind(code="second_order_cut_saved", title="Second order: saved as a constant", rule=2),
    FindingKind(code="second_order_cut_context", title="Second order: kept on ctx", rule=2),
    FindingKind(code="second_order_cut_lost", title="Second order: history lost", rule=2),
    FindingKind(code="second_order_cut_unseen", title="Second order: computed unseen", rule=2),
    FindingKind(
        code="second_order_cut_skipped", title="Second order: an error node passed by", rule=2
    ),
    FindingKind(code="second_order_cut_once", title="Second order: declared away", rule=2),
    FindingKind(code="missing_gradient", title="A gradient is missing", rule=3),
    FindingKind(code="wrong_gradient_count", title="Too few or too many gradients", rule=3),
    FindingKind(code="grad_output_modified", title="grad_output was changed", rule=4),
    FindingKind(code="in_place_unmarked", title="Changed in place, not declared", rule=5),
    FindingKind(code="undefined_gradient", title="An undefined gradient", rule=6),
    FindingKind(code="nested_tensor", title="Tensors inside of an argument", rule=7),
    FindingKind(code="wasted_gradient", title="A gradient for nobody", rule=8),
    FindingKind(code="unregistered_parameter", title="A parameter in no module", rule=12),
    FindingKind(code="silent_reduction", title="The engine summed a gradient", rule=13),
    FindingKind(code="silent_cast", title="The engine cast a gradient", rule=13),
    FindingKind(code="invalid_gradient", title="A gradient that does not fit", rule=13),
    FindingKind(
        code="saved_modified",
        title="A saved tensor was changed",
        about=(
            "Each tensor counts how often it was changed in place. Saving remembers the count, and"
            " reading compares: where it has moved on, torch refuses, as a gradient from the new"
            " number would be wrong."
        ),
    ),
    FindingKind(
        code="numpy_unseen",
        title="Computed outside of torch",
        about=(
            "autograd records what torch computes. What NumPy or C++ computes in between is not"
            " seen; this is what a custom Function is for, with a backward written by hand."
        ),
    ),
    FindingKind(
        code="gradient_replaced",
        title="A hook changed a gradient",
        about="A hook may put another gradient in the place of one; torch passes that on.",
    ),
    FindingKind(
        code="gradient_hooked",
        title="A hook changed a gradient on its way",
        about="A hook on a tensor may put another gradient in the place of the one that arrives.",
    ),
    FindingKind(
        code="total_replaced",
        title="A hook changed .grad",
        about="A post-accumulate hook runs when .grad is complete, and may change it.",
    ),
    FindingKind(
        code="gradient_retained",
        title="A gradient that is kept",
        about="Only leaves keep a gradient by themselves; retain_grad() asks another tensor to.",
    ),
    FindingKind(
        code="shared_parameter",
        title="One parameter under several names",
        about="Where modules share a parameter, each use of it adds to the same .grad.",
    ),
    FindingKind(
        code="forced_eager",
        title="Run as it stands, not compiled",
        recording=True,
    ),
    FindingKind(code="what_if", title="Changed by a what-if", recording=True),
    FindingKind(code="what_if_refused", title="A what-if was not made", recording=True),
    FindingKind(code="lines_left_out", title="Lines were left out", recording=True),
    FindingKind(code="ops_left_out", title="Ops were left out", recording=True),
    FindingKind(code="other_dtype", title="Another dtype than asked for", recording=True),
    FindingKind(code="backward_start", title="Where backward starts", recording=True),
    FindingKind(code="recorder_trouble", title="Recording failed in part", recording=True),
)

_KIND_OF = {kind.code: kind for kind in FINDINGS}


def rule_of(code: str) -> Rule | None:
    """The rule that findings with a code are about; None for none, or an unknown code."""
    kind = _KIND_OF.get(code)
    return None if kind is None or kind.rule is None else RULES[kind.rule - 1]


def kind_of(code: str) -> FindingKind:
    """What is known of a code; of one that a newer program wrote, only the code itself."""
    return _KIND_OF.get(code) or FindingKind(code=code, title=code.replace("_", " "))
