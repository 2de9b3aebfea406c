"""Rules on transforms and modules."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

TRANSFORMS = (
    DoctorRule(
        id="GV601",
        code="setup_context_computes",
        title="setup_context computes",
        severity="info",
        evidence=("source",),
        summary="setup_context computes a tensor.",
        why=(
            "setup_context keeps ctx out of forward, so that other torch transforms can use the "
            "Function. Anything that setup_context computes is lost to them."
        ),
        remedy="Return the value from forward, and save it in setup_context.",
        messages={
            "finding.setup_context_computes.source": (
                "{where} saves {text}, which it computes itself. Compute it in forward or in "
                "backward."
            ),
        },
        example="""\
class Cube(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
-    @once_differentiable
    def backward(ctx, grad_output):
-        (slope,) = ctx.saved_tensors
-        return grad_output * slope
+        (x,) = ctx.saved_tensors
+        return grad_output * 3 * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
-        ctx.save_for_backward(3 * x * x)
+        ctx.save_for_backward(x)


Cube.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV602",
        code="ambiguous_vmap",
        title="Two rules for vmap",
        severity="error",
        evidence=("torch", "source"),
        summary="A Function defines vmap and asks torch to generate it.",
        why=(
            "generate_vmap_rule = True makes torch derive the rule from forward and backward. If "
            "there is a vmap method as well, the rule is ambiguous, and torch raises an error."
        ),
        remedy="Remove generate_vmap_rule, or the vmap method.",
        refusal="has both generate_vmap_rule=True and an overridden vmap",
        messages={
            "finding.ambiguous_vmap.source": (
                "{where} is defined although generate_vmap_rule is True: torch refuses a Function "
                "that has both. Keep one."
            ),
        },
        example="""\
class Twice(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output

-    @staticmethod
-    def vmap(info, in_dims, x):
-        return 2 * x, in_dims[0]
-

torch.vmap(Twice.apply)(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV603",
        code="vmap_without_setup_context",
        title="setup_context missing for torch.func",
        severity="error",
        evidence=("torch",),
        needs="transform",
        summary="A torch.func transform meets a Function without setup_context.",
        why=(
            "Transforms such as vmap, grad and jacrev run forward in a way in which ctx does not "
            "exist yet."
        ),
        remedy=(
            "Move what forward does with ctx into setup_context(ctx, inputs, output), and remove "
            "ctx from forward."
        ),
        refusal="it must override the setup_context staticmethod",
        example="""\
class Twice(Function):
    @staticmethod
-    def forward(ctx, x):
+    def forward(x):
        return 2 * x
+
+    @staticmethod
+    def setup_context(ctx, inputs, output):
+        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


torch.func.grad(lambda y: Twice.apply(y).sum())(x)
""",
    ),
    DoctorRule(
        id="GV604",
        code="context_with_setup_context",
        title="ctx in forward beside setup_context",
        severity="error",
        evidence=("source", "torch"),
        summary="forward takes ctx although the Function defines setup_context.",
        why=(
            "With setup_context, torch calls forward with the inputs only. A parameter for ctx "
            "receives the first input, and one input is missing."
        ),
        remedy="Remove ctx from forward, and fill it in setup_context(ctx, inputs, output).",
        refusal="missing a required argument",
        refusal_is_clear=False,
        messages={
            "finding.context_with_setup_context.source": (
                "{where} takes {name}, but {function} defines setup_context: torch passes only the "
                "inputs. Remove {name} from forward."
            ),
        },
        example="""\
class Twice(Function):
    @staticmethod
-    def forward(ctx, x):
+    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV605",
        code="vmap_missing",
        title="No rule for vmap",
        severity="error",
        evidence=("torch",),
        needs="transform",
        summary="torch.vmap meets a Function without a rule for it.",
        why=(
            "vmap must know how a Function computes a whole batch. It can derive that from forward "
            "and backward if they contain only torch ops, but only when asked to."
        ),
        remedy="Set generate_vmap_rule = True in the class, or write the static method vmap.",
        refusal="does not have vmap support",
        example="""\
class Twice(Function):
+    generate_vmap_rule = True
+
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


torch.vmap(Twice.apply)(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV606",
        code="setup_context_signature",
        title="Wrong arguments of setup_context",
        severity="error",
        evidence=("torch", "source"),
        summary="setup_context takes other arguments than the context, the inputs and the output.",
        why=(
            "Torch calls setup_context(ctx, inputs, output) by position: inputs is the tuple of "
            "all arguments of apply, output is what forward returned. With another number of "
            "parameters, torch raises. With other names, each one silently receives a different "
            "value."
        ),
        remedy="Write setup_context(ctx, inputs, output), and unpack inputs in its body.",
        refusal=r"setup_context\(\) (takes|missing)",
        messages={
            "finding.setup_context_signature.count": (
                "{where} cannot take the three arguments that torch passes: the context, the tuple "
                "of inputs, and the output. Write setup_context(ctx, inputs, output)."
            ),
            "finding.setup_context_signature.names": (
                "{where} receives the tuple of inputs as {first} and the output as {second}, "
                "whatever the names say. Write setup_context(ctx, inputs, output)."
            ),
        },
        example="""\
class Scale(Function):
    @staticmethod
    def forward(x, factor):
        return factor * x

    @staticmethod
-    def setup_context(ctx, x, factor, output):
-        ctx.factor = factor
+    def setup_context(ctx, inputs, output):
+        _, ctx.factor = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.factor * grad_output, None


Scale.apply(x, 2.0).sum().backward()
""",
    ),
    DoctorRule(
        id="GV701",
        code="unregistered_parameter",
        title="Unregistered parameter",
        severity="warning",
        evidence=("run",),
        summary="A module uses a Parameter that no module has registered.",
        why=(
            "Parameters and buffers belong in a Module that registers them. parameters(), to() and "
            "state_dict() miss an unregistered one, so it is not trained, moved or saved."
        ),
        remedy="Make it an attribute of the module, or use ParameterList or register_buffer.",
        messages={
            "finding.unregistered_parameter": (
                "{module} uses a Parameter that none of the called modules has registered: "
                "parameters() and to() miss it, and so does the optimizer. Make it an attribute of "
                "a module, or put it in a ParameterList."
            ),
        },
        example="""\
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
-        self.factors = [nn.Parameter(torch.ones(2, dtype=torch.float64))]
+        self.factors = nn.ParameterList([nn.Parameter(torch.ones(2, dtype=torch.float64))])

    def forward(self, x):
        return x * self.factors[0]


Scale()(x).sum().backward()
""",
    ),
)
