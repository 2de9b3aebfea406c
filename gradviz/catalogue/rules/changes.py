"""Rules on changes in place."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

CHANGES = (
    DoctorRule(
        id="GV301",
        code="grad_output_modified",
        title="grad_output changed in place",
        severity="error",
        evidence=("run", "source"),
        summary="backward changes grad_output in place.",
        why=(
            "The tensor that backward receives may be shared with another node, a hook, or the "
            "caller of backward. All of them would see the change."
        ),
        remedy="Compute a new tensor: grad_output * 2 instead of grad_output.mul_(2).",
        messages={
            "finding.grad_output_modified": (
                "{where} changes {name} in place. The engine may pass the same tensor to other "
                "nodes, which then receive the changed values. Work on a copy."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
-        grad_output *= 2
-        return grad_output
+        return grad_output * 2


(Twice.apply(x) * 3).sum().backward()
""",
    ),
    DoctorRule(
        id="GV302",
        code="in_place_unmarked",
        title="In-place change not declared",
        severity="error",
        evidence=("run", "source"),
        summary="forward changes an input in place without mark_dirty.",
        why=(
            "Only an input declared with ctx.mark_dirty gets a new history that goes through the "
            "Function. Otherwise autograd does not know that its elements are new."
        ),
        remedy="Call ctx.mark_dirty(x) and return x; or leave x unchanged and work on a copy.",
        messages={
            "finding.in_place_unmarked": (
                "In {where}, the input {name} is changed in place but not marked as dirty: {name} "
                "has new elements but still its old history ({history}), so a gradient through "
                "{name} bypasses {function}.backward. Call ctx.mark_dirty({name}) and return "
                "{name}."
            ),
            "finding.in_place_unmarked.plain": (
                "In {where}, the input {name} is changed in place but not marked as dirty: "
                "autograd does not know that its elements are new. Call ctx.mark_dirty({name}) and "
                "return {name}, or work on a copy."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
+        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x.clone()).sum().backward()
""",
    ),
    DoctorRule(
        id="GV303",
        code="dirty_not_returned",
        title="Dirty input not returned",
        severity="error",
        evidence=("torch",),
        summary="An input is marked as dirty but not returned.",
        why=(
            "The new history of an input that forward changed in place belongs to the Function's "
            "output, so torch requires the input itself among the outputs."
        ),
        remedy="Return the input that was changed; or do not mark one that is unchanged.",
        refusal="marked as dirty during the forward method were not returned",
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
-        return x.clone()
+        return x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x.clone()).sum().backward()
""",
    ),
    DoctorRule(
        id="GV304",
        code="unmarked_output",
        title="Non-differentiable output not marked",
        severity="info",
        evidence=("run",),
        summary="An output without a gradient is not marked non-differentiable.",
        why=(
            "An output of an integer or bool dtype never has a gradient. backward still receives "
            "an argument for it, and ctx.mark_non_differentiable tells readers that it means "
            "nothing."
        ),
        remedy="Call ctx.mark_non_differentiable(output) in forward.",
        messages={
            "finding.unmarked_output": (
                "{where} returns output {position} of dtype {dtype}, which never has a gradient, "
                "but does not mark it. Call ctx.mark_non_differentiable."
            ),
        },
        example="""\
class Sort(Function):
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.save_for_backward(order)
+        ctx.mark_non_differentiable(order)
        return values, order

    @staticmethod
    def backward(ctx, grad_values, _):
        (order,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(0, order, grad_values)


Sort.apply(x)
""",
    ),
    DoctorRule(
        id="GV305",
        code="returned_input",
        title="Input returned without a copy",
        severity="info",
        evidence=("run", "source"),
        summary="forward returns one of its inputs, or a view of it.",
        why=(
            "The result is a view of the input, as torch makes one of a returned input too. A "
            "later change of the result in place raises an error, although the code that changes "
            "it does nothing wrong; a change of the input changes the result. A forward that does "
            "nothing but return its inputs is meant so, and not reported."
        ),
        remedy="Return a copy, as x.clone(); or say that it is a view, with x.view_as(x).",
        refusal="created inside a custom Function",
        messages={
            "finding.returned_input": (
                "{where} returns its input {name} itself. Torch makes a view of it, and a change "
                "of the result in place raises an error. Return {name}.clone() or "
                "{name}.view_as({name})."
            ),
            "finding.returned_input.view": (
                "{where} returns a view of its input {name}. A change of the result in place "
                "raises an error, and a change of {name} in place changes the result. Return a "
                "copy, made with .clone()."
            ),
        },
        example="""\
class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
-        return x if x.min() >= 0 else x.clamp(min=0)
+        return x.clone() if x.min() >= 0 else x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x > 0)


Relu.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV306",
        code="saved_modified_in_backward",
        title="Saved tensor changed in backward",
        severity="warning",
        evidence=("source",),
        confidence="likely",
        summary="backward changes a saved tensor in place.",
        why=(
            "A saved tensor is the input or output itself, which other code still uses. It sees "
            "the change, and a second backward pass through the same graph raises an error or "
            "computes with the changed values."
        ),
        remedy="Compute a new tensor: x * 2 instead of x.mul_(2).",
        messages={
            "finding.saved_modified_in_backward.source": (
                "{where} changes the saved tensor {name} in place. A second backward pass, and "
                "other code that uses the same tensor, sees the changed values. Work on a copy."
            ),
        },
        example="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
-        x *= 2
-        return grad_output * x
+        return grad_output * (x * 2)


Square.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV307",
        code="leaf_changed_in_place",
        title="Leaf changed in place",
        severity="error",
        evidence=("torch",),
        summary="A leaf that requires grad is changed in place.",
        why=(
            "The gradient of a leaf is that of the value that it has as a leaf. After a change in "
            "place it would be the result of an op, so torch refuses it."
        ),
        remedy="Change a copy, as x.clone(); or change the leaf under torch.no_grad().",
        refusal="leaf Variable that requires grad",
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


-Twice.apply(x).sum().backward()
+Twice.apply(x.clone()).sum().backward()
""",
    ),
)
