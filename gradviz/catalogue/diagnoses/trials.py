"""Mistakes that only tests beyond the Jacobians reveal, in the guide's order."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

TRIALS = (
    DiagnosisInfo(
        code="wrong_operation",
        title="Wrong operation in backward",
        guide=(
            "one operation of `backward` needs another dimension, direction, exponent, constant or "
            "operand; with this change, the gradients are right"
        ),
        messages={
            "wrong_operation.keepdim": (
                "In the gradient of {inputs}, the result of {operation} in {line} is broadcast "
                "along the wrong dimension: it lacks keepdim=True."
            ),
            "wrong_operation.dimension": (
                "In the gradient of {inputs}, {operation} in {line} works along the wrong "
                "dimensions: {dimensions} of its operand would be right."
            ),
            "wrong_operation.unflip": (
                "In the gradient of {inputs}, the flip in {line} is one too many."
            ),
            "wrong_operation.flip": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) is in "
                "reverse order along {dimensions}."
            ),
            "wrong_operation.flip_second": (
                "In the gradient of {inputs}, the kernel of the convolution in {line} is in "
                "reverse order along {dimensions}: a flip is missing, or there is one too many."
            ),
            "wrong_operation.replace": (
                "In the gradient of {inputs}, {line} uses {operation} where {other} is needed."
            ),
            "wrong_operation.exchange": (
                "In the gradient of {inputs}, the operands of {operation} in {line} are exchanged."
            ),
            "wrong_operation.exponent": (
                "In the gradient of {inputs}, the exponent in {line} is wrong: it should be "
                "{value}."
            ),
            "wrong_operation.large": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) is too "
                "large by {amount}."
            ),
            "wrong_operation.small": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) is too "
                "small by {amount}."
            ),
            "wrong_operation.multiply": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) lacks a "
                "factor: {other}."
            ),
            "wrong_operation.use_first": (
                "In the gradient of {inputs}, the first operand of {operation} in {line} is the "
                "wrong value: {other} is needed."
            ),
            "wrong_operation.use_second": (
                "In the gradient of {inputs}, the second operand of {operation} in {line} is the "
                "wrong value: {other} is needed."
            ),
            "wrong_operation.square_first": (
                "In the gradient of {inputs}, the first operand of {operation} in {line} lacks a "
                "square."
            ),
            "wrong_operation.square_second": (
                "In the gradient of {inputs}, the second operand of {operation} in {line} lacks a "
                "square."
            ),
            "wrong_operation.root_first": (
                "In the gradient of {inputs}, the first operand of {operation} in {line} lacks a "
                "square root, or has a square too many."
            ),
            "wrong_operation.root_second": (
                "In the gradient of {inputs}, the second operand of {operation} in {line} lacks a "
                "square root, or has a square too many."
            ),
            "wrong_operation.left_product": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) lacks a "
                "matrix product: {other} from the left."
            ),
            "wrong_operation.right_product": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) lacks a "
                "matrix product: {other} from the right."
            ),
            "wrong_operation.option": (
                "In the gradient of {inputs}, backward differentiates {call} as if its argument "
                "were {other} instead of {given}."
            ),
            "wrong_operation.passed": (
                "The gradient of {inputs} lacks the derivative of {call}: backward passes the "
                "gradient on to {value} unchanged, as if the call returned it."
            ),
            "wrong_operation.recomputed": (
                "The gradient of {inputs} is computed as if forward used {value} itself, not "
                "{call}. Look for a mask or a scale that backward leaves out."
            ),
            "wrong_operation.choice.all": (
                "In the gradient of {inputs}, backward gives the gradient of {call} to all "
                "elements, not only to the chosen one."
            ),
            "wrong_operation.choice.mean": (
                "In the gradient of {inputs}, backward shares the gradient of {call} out among all "
                "elements, instead of giving it to the chosen one."
            ),
            "wrong_operation.choice.first": (
                "In the gradient of {inputs}, backward gives the gradient of {call} to the first "
                "element, not to the chosen one."
            ),
            "wrong_operation.choice.last": (
                "In the gradient of {inputs}, backward gives the gradient of {call} to the last "
                "element, not to the chosen one."
            ),
            "wrong_operation.transpose": (
                "In the gradient of {inputs}, backward uses the transpose of {value}."
            ),
            "wrong_operation.conjugate": (
                "In the gradient of {inputs}, backward uses the conjugate of {value}."
            ),
            "wrong_operation.value": (
                "In the gradient of {inputs}, backward differentiates with {other} where {value} "
                "is needed."
            ),
            "wrong_operation.value.before": (
                "In the gradient of {inputs}, backward differentiates with {other}, one step of "
                "the loop too early, where {value} is needed."
            ),
            "wrong_operation.value.after": (
                "In the gradient of {inputs}, backward differentiates with {other}, one step of "
                "the loop too late, where {value} is needed."
            ),
            "wrong_operation.divide": (
                "In the gradient of {inputs}, the value computed in {line} ({operation}) has a "
                "factor too many: {other}."
            ),
        },
    ),
    DiagnosisInfo(
        code="stride_blind",
        title="Strides of grad_output are ignored",
        guide="`backward` assumes a dense `grad_output` and misreads an expanded or transposed one",
        beyond_gradcheck=True,
        is_observation=True,
    ),
    DiagnosisInfo(
        code="mutates_grad_output",
        title="grad_output is modified in place",
        guide="`backward` changes `grad_output` in place, although other nodes still need it",
        beyond_gradcheck=True,
        is_observation=True,
    ),
    DiagnosisInfo(
        code="undefined_gradient",
        title="Undefined gradient is not handled",
        guide="`backward` does not handle an undefined gradient",
        beyond_gradcheck=True,
        is_observation=True,
        messages={
            "undefined_gradient.message": (
                "Backward does not handle an undefined gradient, which autograd passes for every "
                "output that is not used later. After ctx.set_materialize_grads(False), it is None "
                "and means zeros. Test for None, or let autograd materialize zeros."
            ),
        },
    ),
    DiagnosisInfo(
        code="double_backward_cut",
        title="Graph of backward is cut",
        guide="for second derivatives, part of what `backward` computes with has lost its history",
        messages={
            "double_backward_cut.none": (
                "No gradient returned by backward has an autograd history, although they change "
                "with the inputs or incoming gradients. Second derivatives are lost. Usually "
                "forward saved an intermediate result that is neither an input nor an output: "
                "recompute it in backward, or return it as an output. Other causes are .detach(), "
                ".item() and NumPy."
            ),
            "double_backward_cut.all": (
                "{output} changes with {input}, but the graph does not connect them: a value that "
                "backward uses has lost its autograd history. Usually forward saved an "
                "intermediate result that is neither an input nor an output: recompute it in "
                "backward, or return it as an output. Other causes are .detach(), .item() and "
                "NumPy."
            ),
            "double_backward_cut.part": (
                "The graph contains only part of the dependence of {output} on {input}. That part "
                "is differentiated correctly, so a value that backward uses has lost its autograd "
                "history. Usually forward saved an intermediate result that is neither an input "
                "nor an output: recompute it in backward, or return it as an output. Other causes "
                "are .detach(), .item() and NumPy."
            ),
            "double_backward_cut.once": (
                "The backward of {functions} is marked once_differentiable, so its gradients "
                "cannot be differentiated again. This is a mistake only if second derivatives are "
                "needed. In that case, write backward in torch operations and remove the decorator."
            ),
            "double_backward_cut.once.custom": "a custom Function",
            "double_backward_cut.once.evidence": (
                "The graph of the gradients ends in a node that raises an error."
            ),
            "double_backward_cut.saved": (
                "Saved tensor {place} of {function} ({shape}) has no autograd history and is not "
                "one of the arguments."
            ),
            "double_backward_cut.attribute": (
                "ctx.{place} of {function} ({shape}) has no autograd history and is not one of the "
                "arguments."
            ),
            "double_backward_cut.scalar": "scalar",
        },
    ),
    DiagnosisInfo(
        code="wrong_pass_gradient",
        title="Wrong gradient from a backward pass",
        guide=(
            "a backward pass of the program gives other gradients than finite differences of the "
            "whole program, and a custom Function is the cause"
        ),
        beyond_gradcheck=True,
        is_observation=True,
        messages={
            "wrong_pass_gradient.found": (
                "Backward pass {number} of the program gives {received} for {name}; the correct "
                "value is {numerical}, by finite differences of the whole program. Autograd gives "
                "that too if it differentiates the forward of every custom Function."
            ),
            "wrong_pass_gradient.also": (
                "It gives {received} for {name}; the correct value is {numerical}."
            ),
        },
    ),
    DiagnosisInfo(
        code="wrong_jvp",
        title="Forward mode (jvp) is wrong",
        guide="`jvp` raises, or gives other derivatives than `backward`, which is right",
        is_observation=True,
        messages={
            "wrong_jvp.message": (
                "Forward mode (jvp) gives wrong derivatives of {output} with respect to {input}, "
                "but backward is correct. Check jvp."
            ),
            "wrong_jvp.message.alone": (
                "Forward mode (jvp) gives wrong derivatives of {output} with respect to {input}. "
                "Check jvp."
            ),
            "wrong_jvp.one_tensor": (
                "Forward mode (jvp) gives the derivatives of {output} with respect to {input} "
                "alone, but {inputs} are one tensor: the numerical Jacobian moves them together, "
                "and backward adds up their gradients. Pass a clone for each."
            ),
            "wrong_jvp.evidence": (
                "{wrong} of {count} elements of the forward-mode Jacobian are outside the "
                "tolerance."
            ),
        },
    ),
    DiagnosisInfo(
        code="wrong_batched_jvp",
        title="Forward mode (jvp) fails under vmap",
        guide="`jvp` is right alone, but raises or gives other derivatives under `vmap`",
        is_observation=True,
    ),
    DiagnosisInfo(
        code="wrong_vmap",
        title="Backward fails under vmap",
        guide="`backward` is right alone, but raises or gives other gradients under `torch.vmap`",
        is_observation=True,
    ),
    DiagnosisInfo(
        code="wrong_vmap_rule",
        title="vmap rule is wrong",
        guide=(
            "`torch.vmap` over the Function raises, or gives other values or gradients than "
            "separate calls"
        ),
        is_observation=True,
        messages={
            "wrong_vmap_rule.raises": (
                "torch.vmap over {function} raises an exception, although separate calls do not. "
                "Check its vmap rule."
            ),
            "wrong_vmap_rule.values": (
                "torch.vmap over {function} gives other results than separate calls. Check its "
                "vmap rule."
            ),
            "wrong_vmap_rule.gradients": (
                "torch.vmap over {function} gives the same values as separate calls, but other "
                "gradients. Check whether autograd can differentiate what its vmap rule computes."
            ),
            "wrong_vmap_rule.generated": (
                "Torch generates the rule from forward and backward (generate_vmap_rule = True)."
            ),
            "wrong_vmap_rule.raised": "With in_dims={dims}, vmap raised {error}",
            "wrong_vmap_rule.count": (
                "With in_dims={dims}, vmap returns {found} outputs instead of {expected}."
            ),
            "wrong_vmap_rule.shape": (
                "With in_dims={dims}, the shape of {name} is {found} instead of {expected}."
            ),
            "wrong_vmap_rule.differs": (
                "With in_dims={dims}, {name} differs by up to {distance:.3g} from that of separate "
                "calls."
            ),
            "wrong_vmap_rule.gradient_differs": (
                "With in_dims={dims}, the gradient of {name} differs by up to {distance:.3g} from "
                "that of separate calls."
            ),
        },
    ),
    DiagnosisInfo(
        code="fails_for_size",
        title="Fails for an empty or single element",
        guide="raises an error for a dimension of size 0 or 1, but not for larger ones",
        is_observation=True,
        messages={
            "fails_for_size.empty": (
                "{stage} raises an error for the empty {dimension}. Look for code that takes an "
                "element, a maximum or a mean of it, and handle this size separately."
            ),
            "fails_for_size.one": (
                "{stage} raises an error because {dimension} has only one element. Look for an "
                "index other than 0, a difference of neighbors, or a squeeze() that removes this "
                "dimension."
            ),
            "fails_for_size.evidence": (
                "With size {larger} instead of {size}, forward and backward run without an error."
            ),
            "fails_for_size.agree": "With that size, all Jacobians agree.",
        },
    ),
    DiagnosisInfo(
        code="fails_for_variation",
        title="Fails for other inputs",
        guide="right for the given inputs, but not for other sizes, dtypes or layouts",
        is_observation=True,
    ),
    DiagnosisInfo(
        code="nondeterministic",
        title="Nondeterministic",
        guide="equal calls give different results",
        is_observation=True,
    ),
    DiagnosisInfo(
        code="hidden_state",
        title="Depends on hidden state",
        guide="the result depends on something that persists from call to call",
        is_observation=True,
    ),
    DiagnosisInfo(
        code="inplace_damage",
        title="Harmful in-place change",
        guide="an input or a saved tensor is overwritten",
        is_observation=True,
    ),
)
