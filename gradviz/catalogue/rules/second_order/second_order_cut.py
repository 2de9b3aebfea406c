"""A second derivative loses what backward depends on."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SECOND_ORDER_CUT = DoctorRule(
    id="GV503",
    code="second_order_cut",
    title="Second order: cut off",
    severity="warning",
    evidence=("run",),
    needs="second_order",
    summary="A second derivative loses what backward depends on.",
    why=(
        "With create_graph=True, autograd records backward as well. What backward computes from "
        "tensors without a history counts as a constant there, and the second derivative is "
        "silently wrong."
    ),
    remedy=(
        "Compute backward from saved inputs and outputs with differentiable ops, or decorate it "
        "with @once_differentiable, so that torch refuses a second derivative."
    ),
    cases={
        "second_order_cut_saved": "Second order: saved as a constant",
        "second_order_cut_context": "Second order: stored on ctx",
        "second_order_cut_lost": "Second order: history lost",
        "second_order_cut_unseen": "Second order: computed outside autograd",
        "second_order_cut_skipped": "Second order: error node not reached",
        "second_order_cut_once": "Second order: declared once_differentiable",
    },
    bad="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x.detach() * grad_output


(first,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
(first * x).sum().backward()
""",
    good="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


(first,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
(first * x).sum().backward()
""",
)
