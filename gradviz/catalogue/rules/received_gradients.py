"""Rules on the gradients that backward and hooks receive."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

RECEIVED_GRADIENTS = (
    DoctorRule(
        id="GV208",
        code="grad_output_unused",
        title="grad_output not used",
        severity="warning",
        evidence=("source",),
        confidence="likely",
        summary="backward never reads grad_output.",
        why=(
            "backward computes a product with the incoming gradient. Without it, the result is "
            "right only if every incoming gradient is 1, as it is after a sum."
        ),
        remedy="Multiply by grad_output.",
        messages={
            "finding.grad_output_unused.source": (
                "{where} never uses {name}: its result is right only if every incoming gradient is "
                "1. Multiply by {name}."
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
-        return 2 * x
+        return 2 * x * grad_output


Square.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV209",
        code="undefined_gradient",
        title="Undefined gradient",
        severity="info",
        evidence=("run",),
        summary="backward receives an undefined gradient.",
        why=(
            "An output that is not used, or whose user returned None, has an undefined gradient. "
            "Torch then passes zeros to backward. After set_materialize_grads(False), it passes "
            "None, and backward must handle it."
        ),
        remedy="With set_materialize_grads(False), check whether the gradient is None first.",
        cases={
            "undefined_gradient_none": "Undefined gradient is None",
            "undefined_gradient_marked": "Gradient of a non-differentiable output",
        },
        # To handle None, and to mark an output, is what the rule asks for.
        notes=(
            "undefined_gradient_none",
            "undefined_gradient_marked",
        ),
        messages={
            "finding.undefined_gradient.zeros": (
                "{where} receives an undefined gradient for {name}: torch materializes it as zeros."
            ),
            "finding.undefined_gradient.marked": (
                "In {where}, {name} belongs to an output that is non-differentiable: torch "
                "materializes it as zeros."
            ),
            "finding.undefined_gradient.none": (
                "{where} receives None for {name}, because the gradient is undefined and "
                "set_materialize_grads(False) is set. Handle None in backward."
            ),
        },
        example="""\
class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, grad_sum, grad_product):
        return grad_sum + 2 * grad_product


-SumAndProduct.apply(x)[0].sum().backward()
+first, second = SumAndProduct.apply(x)
+(first + second).sum().backward()
""",
    ),
    DoctorRule(
        id="GV210",
        code="undefined_gradient_unhandled",
        title="Undefined gradient not handled",
        severity="warning",
        evidence=("source",),
        confidence="likely",
        summary="After set_materialize_grads(False), backward does not handle a gradient of None.",
        why=(
            "After set_materialize_grads(False), the gradient of an output that is not used is "
            "None. Python raises an error as soon as backward computes with it."
        ),
        remedy=(
            "Test whether the gradient is None first; or leave out set_materialize_grads(False)."
        ),
        messages={
            "finding.undefined_gradient_unhandled.source": (
                "{where} computes with {name} without a test for None. After "
                "set_materialize_grads(False), {name} is None if its output is not used."
            ),
        },
        example="""\
class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, grad_sum, grad_product):
-        return grad_sum + 2 * grad_product
+        if grad_sum is None:
+            return None if grad_product is None else 2 * grad_product
+        return grad_sum if grad_product is None else grad_sum + 2 * grad_product


first, second = SumAndProduct.apply(x)
(first + second).sum().backward()
""",
    ),
    DoctorRule(
        id="GV211",
        code="grad_output_count",
        title="Wrong number of parameters of backward",
        severity="error",
        evidence=("torch", "source"),
        summary="backward takes another number of gradients than forward has outputs.",
        why=(
            "backward receives ctx and one gradient for each output of forward, also for those "
            "without a gradient."
        ),
        remedy="Give backward one parameter for each output, after ctx.",
        refusal=r"backward\(\) (takes \d+ positional|missing \d+ required positional)",
        messages={
            "finding.grad_output_count.source": (
                "{where} takes {count} of the {outputs} gradients that torch passes, one for each "
                "output of forward: Python raises a TypeError. Give it one parameter for each "
                "output, after ctx."
            ),
        },
        example="""\
class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1, x * 2

    @staticmethod
-    def backward(ctx, grad_sum):
-        return grad_sum * 3
+    def backward(ctx, grad_sum, grad_product):
+        return grad_sum + 2 * grad_product


first, second = SumAndProduct.apply(x)
(first + second).sum().backward()
""",
    ),
    DoctorRule(
        id="GV213",
        code="backward_inside_backward",
        title="backward() inside backward",
        severity="warning",
        evidence=("source",),
        confidence="likely",
        summary="backward calls backward() on another graph.",
        why=(
            "backward() adds to .grad of every leaf that it reaches, such as the parameters of a "
            "module. torch.autograd.grad and gradcheck do not expect such a side effect, and the "
            "parameters get no gradient through the Function."
        ),
        remedy=(
            "Pass everything that needs a gradient as an argument of apply, and compute the "
            "gradients with torch.autograd.grad."
        ),
        messages={
            "finding.backward_inside_backward.source": (
                "{where} calls {text}, which adds to .grad of every leaf that it reaches, as a "
                "side effect. Compute the gradients with torch.autograd.grad and return them."
            ),
        },
        example="""\
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        inner = x.detach().requires_grad_()
        with torch.enable_grad():
            y = inner.exp()
-        y.backward(grad_output)
-        return inner.grad
+        (grad,) = torch.autograd.grad(y, inner, grad_output)
+        return grad


Exp.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV801",
        code="hook_result",
        title="Result of a hook refused",
        severity="error",
        evidence=("torch",),
        summary="A hook returns something that cannot replace the gradient.",
        why=(
            "What a hook returns takes the place of the gradient, so it needs the same shape, "
            "dtype and number. Torch refuses anything else."
        ),
        remedy=(
            "Return a gradient of the same shape and dtype, one for each that came; or None to "
            "leave it."
        ),
        refusal="has changed the (size|type) of value|but hook returned|invalid number of grad_",
        example="""\
y = x * 2
-y.register_hook(lambda grad: grad[:1])
+y.register_hook(lambda grad: grad * 0.5)
torch.autograd.grad(y.sum(), x)
""",
    ),
)
