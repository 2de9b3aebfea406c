"""Rules on the gradients that backward returns."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

RETURNED_GRADIENTS = (
    DoctorRule(
        id="GV201",
        code="missing_gradient",
        title="Missing gradient",
        severity="warning",
        evidence=("run", "source"),
        summary="backward returns None for an input that needs a gradient.",
        why=(
            "autograd takes None for an input that the output does not depend on: no gradient "
            "reaches it, and nothing is reported. Parameters before it are not trained."
        ),
        remedy="Return the gradient of each input for which ctx.needs_input_grad is True.",
        messages={
            "finding.missing_gradient": (
                "{where} returns None for {name}, which needs a gradient: in this pass, no "
                "gradient reaches {name} through {function}. Return its gradient if it has one."
            ),
            "finding.missing_gradient.asked": (
                "{where} returns None for {name}, although {method} asks for "
                "ctx.needs_input_grad[{index}]: no gradient reaches {name} through {function}. "
                "Return its gradient."
            ),
            "finding.missing_gradient.computed": (
                "{where} returns None for {name}, and {method} never uses {value}, which it "
                "computes: no gradient reaches {name} through {function}. Return {value} if it is "
                "that gradient."
            ),
        },
        example="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
-        ctx.save_for_backward(b)
+        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
-        (b,) = ctx.saved_tensors
-        return grad_output * b, None
+        a, b = ctx.saved_tensors
+        return grad_output * b, grad_output * a


Product.apply(x, x.detach().clone().requires_grad_()).sum().backward()
""",
    ),
    DoctorRule(
        id="GV202",
        code="wrong_gradient_count",
        title="Wrong number of gradients",
        severity="error",
        evidence=("torch", "source"),
        summary="backward returns another number of gradients than forward has inputs.",
        why=(
            "backward returns one value for each input of forward, in the same order: torch "
            "matches them by position, and refuses another number of values."
        ),
        remedy=(
            "Count the parameters of forward without ctx, and return that many values; None where "
            "there is no gradient."
        ),
        messages={
            "finding.wrong_gradient_count": (
                "{where} returns {count} for {arguments}. Return one value for each input of "
                "forward, in order, and None where there is no gradient."
            ),
        },
        example="""\
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
-        return grad_output * ctx.factor
+        return grad_output * ctx.factor, None


Scale.apply(x, 3.0).sum().backward()
""",
    ),
    DoctorRule(
        id="GV203",
        code="invalid_gradient",
        title="Invalid gradient",
        severity="error",
        evidence=("torch",),
        summary="backward returns something that cannot be the gradient of its input.",
        why=(
            "A gradient is a tensor that can be summed to the shape of its input, or None. Torch "
            "refuses anything else."
        ),
        remedy="Return a tensor with the shape of the input, or None.",
        messages={
            "finding.invalid_gradient": (
                "{where} returns a gradient of shape {before} for {name}, which has shape {after}: "
                "the engine cannot sum it to that shape. Return a gradient with the shape of "
                "{name}."
            ),
            "finding.invalid_gradient.object": (
                "{where} returns {text} for {name}: a gradient must be a tensor or None."
            ),
            "finding.invalid_gradient.not_tensor": (
                "{where} returns a gradient for {name}, which is not a tensor. Return None for it."
            ),
        },
        example="""\
class Total(Function):
    @staticmethod
    def forward(ctx, x):
+        ctx.shape = x.shape
        return x.sum()

    @staticmethod
    def backward(ctx, grad_output):
-        return grad_output.expand(7)
+        return grad_output.expand(ctx.shape)


Total.apply(x).backward()
""",
    ),
    DoctorRule(
        id="GV204",
        code="silent_reduction",
        title="Gradient summed by the engine",
        severity="warning",
        evidence=("run",),
        summary="backward returns a gradient that is larger than its input.",
        why=(
            "The engine silently sums a gradient that is larger than its input. That is what "
            "broadcasting needs, but it also hides a wrong shape. A gradient of the shape that "
            "broadcasting gives, or with one for each row of a batch, is only a hint."
        ),
        remedy="Sum over the broadcast dimensions in backward.",
        messages={
            "finding.silent_reduction": (
                "{where} returns a gradient of shape {before} for {name}, which has shape {after}: "
                "the engine silently sums it to that shape. Sum it in backward."
            ),
        },
        example="""\
class Add(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, grad_output):
-        return grad_output.clone(), grad_output.clone()
+        return grad_output.clone(), grad_output.sum().reshape(1)


Add.apply(x, torch.ones(1, dtype=x.dtype, requires_grad=True)).sum().backward()
""",
    ),
    DoctorRule(
        id="GV205",
        code="silent_cast",
        title="Gradient cast by the engine",
        severity="warning",
        evidence=("run",),
        summary="backward returns a gradient of another dtype than its input.",
        why=(
            "The engine silently casts a gradient to the dtype of its input. Digits are lost where "
            "backward computed with less of them."
        ),
        remedy="Return the gradient in the dtype of the input.",
        messages={
            "finding.silent_cast": (
                "{where} returns a gradient of dtype {before} for {name}, which has dtype {after}: "
                "the engine silently casts it. Return it in the dtype of {name}."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
-        return 2 * grad_output.float()
+        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV206",
        code="wasted_gradient",
        title="Unneeded gradient",
        severity="info",
        evidence=("run",),
        summary="backward computes a gradient that nothing needs.",
        why=(
            "A gradient for an input that does not need one is discarded, and the time to compute "
            "it is wasted."
        ),
        remedy="Compute each gradient only if its ctx.needs_input_grad[i] is True.",
        messages={
            "finding.wasted_gradient": (
                "{where} returns a gradient for {name}, which does not need one: it is discarded. "
                "Check ctx.needs_input_grad[{index}] before computing it."
            ),
        },
        example="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
-        return grad_output * b, grad_output * a
+        grad_a = grad_output * b if ctx.needs_input_grad[0] else None
+        grad_b = grad_output * a if ctx.needs_input_grad[1] else None
+        return grad_a, grad_b


Product.apply(x, x.detach()).sum().backward()
""",
    ),
    DoctorRule(
        id="GV207",
        code="surplus_none",
        title="Surplus None",
        severity="info",
        evidence=("run", "source"),
        summary="backward returns more values than forward has inputs.",
        why=(
            "Torch ignores additional Nones at the end. They often show that an input was removed, "
            "or that the gradients are not in the order of the inputs."
        ),
        remedy="Return exactly one value for each input of forward.",
        messages={
            "finding.surplus_none": (
                "{where} returns {count} for {arguments}: torch ignores additional Nones. Return "
                "one value for each input of forward."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
-        return 2 * grad_output, None, None
+        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV212",
        code="needs_input_grad_index",
        title="Index beyond the inputs",
        severity="error",
        evidence=("source", "torch"),
        summary="backward asks whether an input needs a gradient that forward does not have.",
        why=(
            "ctx.needs_input_grad has one entry for each input of forward, counted from 0 without "
            "ctx."
        ),
        remedy="Count the inputs of forward from 0, without ctx.",
        refusal="tuple index out of range",
        refusal_is_clear=False,
        messages={
            "finding.needs_input_grad_index.source": (
                "{where} reads ctx.needs_input_grad[{index}], but it has one entry for "
                "{arguments}, counted from 0: Python raises an IndexError."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
-        return 2 * grad_output if ctx.needs_input_grad[1] else None
+        return 2 * grad_output if ctx.needs_input_grad[0] else None


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV214",
        code="sparse_gradient",
        title="Sparse gradient for a dense input",
        severity="warning",
        evidence=("run",),
        summary="backward returns a sparse gradient for a dense input.",
        why=(
            "Most nodes and most optimizers cannot compute with a sparse gradient: it works only "
            "if the input is a leaf whose optimizer knows sparse gradients."
        ),
        remedy="Return a dense gradient, as grad.to_dense().",
        messages={
            "finding.sparse_gradient": (
                "{where} returns a sparse gradient for {name}, which is dense: most nodes and "
                "optimizers cannot compute with it. Return it dense, with to_dense()."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
-        return (2 * grad_output).to_sparse()
+        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV215",
        code="outputs_non_differentiable",
        title="No differentiable output",
        severity="warning",
        evidence=("source",),
        summary=(
            "All outputs are marked as non-differentiable, although backward returns a gradient."
        ),
        why=(
            "An output that is marked with mark_non_differentiable has no node. If all are, "
            "backward never runs, and the inputs get no gradient through this Function, without an "
            "error."
        ),
        remedy=(
            "Mark only outputs that have no gradient, such as indices. If that is all of them, "
            "return None for each input."
        ),
        messages={
            "finding.outputs_non_differentiable.source": (
                "{where} marks everything that {function} returns as non-differentiable (line "
                "{line}), so {function}.backward never runs and the inputs get no gradient."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
-        y = 2 * x
-        ctx.mark_non_differentiable(y)
-        return y
+        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


(Twice.apply(x) * x).sum().backward()
""",
    ),
)
