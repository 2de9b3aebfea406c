"""Rules on arguments, outputs and methods."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

ARGUMENTS = (
    DoctorRule(
        id="GV401",
        code="nested_tensor",
        title="Tensors inside an argument",
        severity="warning",
        evidence=("run",),
        summary="A tensor that requires grad is inside a list, dict or other object.",
        why=(
            "autograd sees the tensors among the arguments of apply. It does not look inside a "
            "list, a dict or another object: tensors in there get no gradient."
        ),
        remedy="Unpack them with F.apply(*tensors), and return one gradient for each.",
        messages={
            "finding.nested_tensor": (
                "{where} receives tensors that require grad inside {name}, where autograd does not "
                "see them: no gradient reaches them through {function}. Pass each of them as a "
                "separate argument."
            ),
        },
        example="""\
class Total(Function):
    @staticmethod
-    def forward(ctx, first, others):
-        return first + sum(others)
+    def forward(ctx, *tensors):
+        ctx.count = len(tensors)
+        return sum(tensors)

    @staticmethod
    def backward(ctx, grad_output):
-        return grad_output.clone(), None
+        return tuple(grad_output.clone() for _ in range(ctx.count))


-Total.apply(x, [x, x]).sum().backward()
+Total.apply(x, x, x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV402",
        code="not_static",
        title="Method is not static",
        severity="warning",
        evidence=("source",),
        summary="A method of a Function lacks @staticmethod.",
        why=(
            "Torch calls forward and backward on the class, with ctx in place of an instance. "
            "Without @staticmethod this works by chance, and raises an error as soon as someone "
            "calls an instance."
        ),
        remedy="Decorate the method with @staticmethod.",
        messages={
            "finding.not_static.source": (
                "{where} is not static: torch calls it on the class. Decorate it with "
                "@staticmethod."
            ),
        },
        example="""\
class Twice(Function):
+    @staticmethod
    def forward(ctx, x):
        return 2 * x

+    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV403",
        code="no_backward",
        title="No backward",
        severity="error",
        evidence=("torch",),
        summary="A Function without backward is differentiated.",
        why=(
            "Torch cannot differentiate what forward does: the gradient must be written in "
            "backward, or in vjp."
        ),
        remedy="Write backward; or detach the result if it needs no gradient.",
        refusal="You must implement either the backward or vjp method",
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

+    @staticmethod
+    def backward(ctx, grad_output):
+        return 2 * grad_output
+

Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV404",
        code="backward_and_vjp",
        title="Both backward and vjp",
        severity="error",
        evidence=("torch", "source"),
        summary="A Function defines both backward and vjp.",
        why=(
            "vjp is another name for backward. Torch cannot know which of them is meant, so it "
            "refuses both."
        ),
        remedy="Define only one of them.",
        refusal="Implementing both 'backward' and 'vjp'",
        messages={
            "finding.backward_and_vjp.source": (
                "{where} is defined next to backward: torch refuses a Function that has both. Keep "
                "one."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output

-    @staticmethod
-    def vjp(ctx, grad_output):
-        return 2 * grad_output
-

Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV405",
        code="captured_tensor",
        title="Tensor captured by forward",
        severity="warning",
        evidence=("run",),
        summary="forward uses a tensor that requires grad and is not an argument.",
        why=(
            "autograd sees only the arguments of apply. A weight that forward takes from a "
            "closure, a global variable or an object is a constant for it."
        ),
        remedy="Pass the tensor as an argument of apply, and return its gradient from backward.",
        messages={
            "finding.captured_tensor.shape": "a tensor of shape {shape}",
            "finding.captured_tensor": (
                "{where} uses {name}, which requires grad and is not an argument of apply: no "
                "gradient reaches it through {function}. Pass it as an argument."
            ),
        },
        example="""\
weight = torch.ones(2, dtype=torch.float64, requires_grad=True)


class Scale(Function):
    @staticmethod
-    def forward(ctx, x):
+    def forward(ctx, x, weight):
+        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, grad_output):
-        return grad_output * weight.detach()
+        x, weight = ctx.saved_tensors
+        return grad_output * weight, grad_output * x


-Scale.apply(x).sum().backward()
+Scale.apply(x, weight).sum().backward()
""",
    ),
    DoctorRule(
        id="GV406",
        code="outputs_in_container",
        title="Outputs inside a list",
        severity="error",
        evidence=("run", "source"),
        summary="forward returns tensors inside a list, dict or set.",
        why=(
            "autograd connects the tensors that forward returns, alone or in a tuple. It does not "
            "look inside other containers: tensors in there have no history, so nothing upstream "
            "learns."
        ),
        remedy="Return a tuple, and build the list outside of the Function.",
        messages={
            "finding.outputs_in_container.source": (
                "{where} returns a {kind} of tensors, which autograd does not connect to "
                "{function}: they have no history. Return a tuple."
            ),
            "finding.outputs_in_container": (
                "{where} returns tensors inside a {kind}, where autograd does not see them: they "
                "have no history, and no gradient flows through {function}. Return a tuple."
            ),
        },
        example="""\
class TwoOutputs(Function):
    @staticmethod
    def forward(ctx, x):
-        return [x + 1, x * 2]
+        return x + 1, x * 2

    @staticmethod
-    def backward(ctx, *grad_outputs):
-        return grad_outputs[0] + 2 * grad_outputs[1]
+    def backward(ctx, grad_first, grad_second):
+        return grad_first + 2 * grad_second


-TwoOutputs.apply(x)
+sum(TwoOutputs.apply(x)).sum().backward()
""",
    ),
    DoctorRule(
        id="GV407",
        code="custom_bwd_without_custom_fwd",
        title="custom_bwd without custom_fwd",
        severity="error",
        evidence=("torch", "source"),
        summary=(
            "backward is decorated with custom_bwd, but forward is not decorated with custom_fwd."
        ),
        why=(
            "custom_bwd runs backward with the autocast state of forward, which custom_fwd keeps "
            "on ctx. Without custom_fwd, nothing is there and backward raises an AttributeError."
        ),
        remedy="Decorate forward with torch.amp.custom_fwd, below @staticmethod.",
        refusal="has no attribute '_(fwd_used_autocast|dtype)'",
        messages={
            "finding.custom_bwd_without_custom_fwd.source": (
                "{where} is decorated with custom_bwd, but {function}.forward is not decorated "
                "with custom_fwd: backward raises an AttributeError. Decorate both."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
+    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV408",
        code="autocast_without_custom_fwd",
        title="custom_fwd missing under autocast",
        severity="warning",
        evidence=("run", "torch", "source"),
        summary=(
            "forward computes in a smaller dtype under autocast, but is not decorated with "
            "custom_fwd."
        ),
        why=(
            "Autocast changes the dtypes of some ops in forward. backward runs outside of it, so "
            "saved inputs and the incoming gradient have different dtypes there: an op raises an "
            "error, or computes in another precision than forward."
        ),
        remedy=(
            "Decorate forward with torch.amp.custom_fwd and backward with torch.amp.custom_bwd, "
            "below @staticmethod."
        ),
        refusal="to have the same dtype|expected scalar type|same dtype",
        refusal_is_clear=False,
        messages={
            "finding.autocast_without_custom_fwd": (
                "{where} runs under autocast, which computes in {dtype} here; {function}.backward "
                "runs outside of it. Decorate forward with torch.amp.custom_fwd, and backward with "
                "torch.amp.custom_bwd."
            ),
            "finding.autocast_without_custom_fwd.source": (
                "{where} is applied under autocast (line {line}) and computes what autocast casts "
                "to a smaller dtype; {function}.backward runs outside of it. Decorate forward with "
                "torch.amp.custom_fwd, and backward with torch.amp.custom_bwd."
            ),
        },
        example="""\
class Product(Function):
    @staticmethod
+    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
+    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output @ weight.t(), x.t() @ grad_output


weight = torch.ones(2, 1, requires_grad=True)
product = torch.autocast("cpu", dtype=torch.bfloat16)(Product.apply)(x[None].float(), weight)
product.float().sum().backward()
""",
    ),
    DoctorRule(
        id="GV409",
        code="custom_fwd_without_custom_bwd",
        title="custom_fwd without custom_bwd",
        severity="warning",
        evidence=("source",),
        summary=(
            "forward is decorated with custom_fwd, but backward is not decorated with custom_bwd."
        ),
        why=(
            "custom_fwd keeps the autocast state of forward on ctx, so that custom_bwd can run "
            "backward with it. Without custom_bwd, backward runs in another state, and may meet "
            "dtypes that do not match."
        ),
        remedy="Decorate backward with torch.amp.custom_bwd, below @staticmethod.",
        messages={
            "finding.custom_fwd_without_custom_bwd.source": (
                "{where} is decorated with custom_fwd, but {function}.{reader} is not decorated "
                "with custom_bwd: it runs in another autocast state. Decorate both."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x):
        return 2 * x

    @staticmethod
+    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV410",
        code="not_applied",
        title="Function called without apply",
        severity="error",
        evidence=("source",),
        summary="A Function is called in another way than by apply.",
        why=(
            "Only apply connects the outputs to backward. Torch refuses to call an instance, and "
            "forward alone computes without the Function's backward."
        ),
        remedy="Call Function.apply(...).",
        messages={
            "finding.not_applied.instance": (
                "{function} is called as an instance (line {line}), which torch refuses. Call "
                "{function}.apply."
            ),
            "finding.not_applied.forward": (
                "{where} is called directly (line {line}), so autograd does not use "
                "{function}.backward. Call {function}.apply."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


-(Twice.apply(x) + Twice.forward(None, x)).sum().backward()
+(Twice.apply(x) + Twice.apply(x)).sum().backward()
""",
    ),
    DoctorRule(
        id="GV411",
        code="forward_without_context",
        title="forward without ctx",
        severity="error",
        evidence=("source", "torch"),
        summary="forward does not take ctx, and there is no setup_context.",
        why=(
            "Without setup_context, torch passes ctx to forward before the inputs. The first "
            "parameter receives it, and one argument is too many."
        ),
        remedy="Write forward(ctx, ...); or define setup_context(ctx, inputs, output).",
        refusal=r"forward\(\) takes \d+ positional arguments? but",
        refusal_is_clear=False,
        messages={
            "finding.forward_without_context.source": (
                "{where} computes with its first parameter {name}, which receives ctx: torch "
                "passes ctx before the inputs. Write forward(ctx, ...), or define setup_context."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
-    def forward(x):
+    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
)
