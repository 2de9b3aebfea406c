"""Rules on differentiating twice."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SECOND_ORDER = (
    DoctorRule(
        id="GV501",
        code="missing_once_differentiable",
        title="once_differentiable missing",
        severity="warning",
        evidence=("source",),
        confidence="likely",
        summary="backward leaves autograd, but is not declared once differentiable.",
        why=(
            "A second derivative differentiates backward itself. What backward computes on "
            "detached tensors, or in NumPy, counts as a constant there, and the second derivative "
            "is silently wrong."
        ),
        remedy=(
            "Decorate backward with @once_differentiable, below @staticmethod; then torch refuses "
            "a second derivative."
        ),
        messages={
            "finding.missing_once_differentiable.source": (
                "{where} leaves autograd with {text}: a second derivative treats the values as "
                "constants. Decorate backward with @once_differentiable."
            ),
        },
        example="""\
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
+    @once_differentiable
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result.detach()


Exp.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV502",
        code="useless_once_differentiable",
        title="once_differentiable without effect",
        severity="warning",
        evidence=("source",),
        summary="once_differentiable decorates another method than backward.",
        why=(
            "once_differentiable makes torch refuse to differentiate what it decorates. On forward "
            "it changes nothing, and a second derivative of backward may still be silently wrong."
        ),
        remedy="Decorate backward, below @staticmethod.",
        messages={
            "finding.useless_once_differentiable.source": (
                "{where} is decorated with once_differentiable, which has no effect there. "
                "Decorate backward."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
-    @once_differentiable
    def forward(ctx, x):
        return 2 * x

    @staticmethod
+    @once_differentiable
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV503",
        code="second_order_cut",
        title="Second order: cut off",
        severity="warning",
        evidence=("run",),
        needs="second_order",
        summary="A second derivative loses what backward depends on.",
        why=(
            "With create_graph=True, autograd records backward as well. What backward computes "
            "from tensors without a history counts as a constant there, and the second derivative "
            "is silently wrong."
        ),
        remedy=(
            "Compute backward from saved inputs and outputs with differentiable ops, or decorate "
            "it with @once_differentiable, so that torch refuses a second derivative."
        ),
        cases={
            "second_order_cut_saved": "Second order: saved as a constant",
            "second_order_cut_context": "Second order: stored on ctx",
            "second_order_cut_lost": "Second order: history lost",
            "second_order_cut_unseen": "Second order: computed outside autograd",
            "second_order_cut_skipped": "Second order: error node not reached",
            "second_order_cut_once": "Second order: declared once_differentiable",
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
-        return 2 * x.detach() * grad_output
+        return 2 * x * grad_output


(first,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
(first * x).sum().backward()
""",
    ),
)
