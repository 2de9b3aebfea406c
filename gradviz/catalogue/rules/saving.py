"""Rules on what forward saves for backward."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVING = (
    DoctorRule(
        id="GV101",
        code="tensor_on_ctx",
        title="Tensor stored on ctx",
        severity="warning",
        evidence=("run", "source"),
        summary="A tensor is stored as an attribute of ctx.",
        why=(
            "A saved tensor is freed after backward, and a change in place is detected. Neither is "
            "true of an attribute of ctx: it may stay in memory, or hold other values by the time "
            "backward reads it."
        ),
        remedy="Pass the tensor to ctx.save_for_backward, and read it from ctx.saved_tensors.",
        messages={
            "finding.tensor_on_ctx": (
                "{where} stores a tensor as ctx.{name}: it is not freed with the saved tensors, "
                "and changes in place go undetected. Save it with ctx.save_for_backward. If it is "
                "neither an argument nor an output, compute it again in backward instead: a second "
                "derivative would take it for a constant."
            ),
            "finding.tensor_on_ctx.parameter": (
                "{where} keeps parameters of a module as ctx.{name}. The module keeps them in "
                "memory anyway, but a change in place before backward, as by an optimizer, goes "
                "undetected. ctx.save_for_backward detects it."
            ),
        },
        example="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
-        ctx.x = x
+        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
-        return 2 * ctx.x * grad_output
+        (x,) = ctx.saved_tensors
+        return 2 * x * grad_output


Square.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV102",
        code="saved_intermediate",
        title="Intermediate tensor saved",
        severity="warning",
        evidence=("run", "source"),
        summary="A saved tensor is neither an input nor an output.",
        why=(
            "forward runs without recording a graph, so a tensor computed in it has no history: a "
            "second derivative treats it as a constant and is silently wrong."
        ),
        remedy=(
            "Recompute it in backward, return it as an additional output, or decorate backward "
            "with @once_differentiable."
        ),
        messages={
            "finding.saved_intermediate": (
                "{where} saves {name}, which is neither an input nor an output: a second "
                "derivative treats it as a constant. Recompute it in backward, return it as an "
                "output, or decorate backward with @once_differentiable."
            ),
            "finding.saved_intermediate.view": (
                "{where} saves {name}, which is a view of the input {argument} and not {argument} "
                "itself: a second derivative treats it as a constant. Save {argument} and take the "
                "view in backward."
            ),
        },
        example="""\
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
-        square = x * x
-        ctx.save_for_backward(square)
-        return square * x
+        ctx.save_for_backward(x)
+        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
-        (square,) = ctx.saved_tensors
-        return 3 * square * grad_output
+        (x,) = ctx.saved_tensors
+        return 3 * x * x * grad_output


Cube.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV103",
        code="saved_modified",
        title="Saved tensor changed in place",
        severity="error",
        evidence=("run",),
        summary="A saved tensor is changed in place before backward reads it.",
        why=(
            "Each tensor counts its in-place changes in a version counter. Saving remembers the "
            "counter, and reading compares it: if it has changed, torch raises an error, because a "
            "gradient computed from the new values would be wrong."
        ),
        remedy="Change a copy instead, or save a clone.",
        example="""\
-y = x.exp()
-y.mul_(2)
+y = x.exp() * 2
y.sum().backward()
""",
    ),
    DoctorRule(
        id="GV104",
        code="saved_twice",
        title="save_for_backward called twice",
        severity="warning",
        evidence=("source",),
        summary="save_for_backward is called more than once on one path.",
        why=(
            "Each call replaces what the call before has saved: backward then reads other tensors "
            "than it expects, and nothing is reported."
        ),
        remedy="Call ctx.save_for_backward once, with all tensors.",
        messages={
            "finding.saved_twice.source": (
                "{where} calls ctx.save_for_backward a second time: it replaces what was saved "
                "before. Save all tensors in one call."
            ),
        },
        example="""\
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
-        ctx.save_for_backward(a)
-        ctx.save_for_backward(b)
+        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
-        (b,) = ctx.saved_tensors
-        return grad_output * b, grad_output * b
+        a, b = ctx.saved_tensors
+        return grad_output * b, grad_output * a


-Product.apply(x, x.detach()).sum().backward()
+Product.apply(x, x.detach().clone().requires_grad_()).sum().backward()
""",
    ),
    DoctorRule(
        id="GV105",
        code="saved_unused",
        title="Saved tensor not used",
        severity="info",
        evidence=("source",),
        summary="backward never reads a tensor that forward has saved.",
        why=(
            "A saved tensor stays in memory until backward has run. One that backward does not "
            "read costs memory for nothing, and often shows that a term of the gradient is missing."
        ),
        remedy="Save only what backward reads.",
        messages={
            "finding.saved_unused.source": (
                "{where} saves tensors, but {function}.{reader} never reads ctx.saved_tensors. "
                "Save only what it reads."
            ),
            "finding.saved_unused.source.name": (
                "{where} unpacks {name} from ctx.saved_tensors and never uses it. Save only what "
                "is used."
            ),
        },
        example="""\
class Shift(Function):
    @staticmethod
    def forward(ctx, x):
-        ctx.save_for_backward(x)
        return x + 1

    @staticmethod
    def backward(ctx, grad_output):
-        (x,) = ctx.saved_tensors
        return grad_output.clone()


Shift.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV106",
        code="saved_not_tensor",
        title="Saved value is not a tensor",
        severity="error",
        evidence=("torch",),
        summary="save_for_backward receives something that is not a tensor.",
        why=(
            "Saved tensors are checked for changes in place and freed with the graph. Neither "
            "makes sense for a number or another object, so torch refuses it."
        ),
        remedy="Store it as an attribute of ctx, like ctx.exponent = exponent.",
        refusal="save_for_backward can only save variables",
        example="""\
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
-        ctx.save_for_backward(factor)
+        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
-        (factor,) = ctx.saved_tensors
-        return grad_output * factor, None
+        return grad_output * ctx.factor, None


Scale.apply(x, 3.0).sum().backward()
""",
    ),
    DoctorRule(
        id="GV107",
        code="saved_tensors_in_forward",
        title="saved_tensors read in forward",
        severity="warning",
        evidence=("source",),
        summary="forward reads ctx.saved_tensors.",
        why=(
            "Torch takes over the saved tensors when forward has returned. Until then, "
            "ctx.saved_tensors is empty."
        ),
        remedy="Use the tensor itself.",
        messages={
            "finding.saved_tensors_in_forward.source": (
                "{where} reads ctx.saved_tensors, which is empty until {method} has returned. Use "
                "the tensors themselves."
            ),
            "finding.saved_tensors_in_forward.assigned": (
                "{where} assigns to ctx.saved_tensors, which torch refuses with an AttributeError. "
                "Save the tensors with ctx.save_for_backward."
            ),
        },
        example="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
-        return x * x if len(ctx.saved_tensors) == 0 else x
+        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


Square.apply(x).sum().backward()
""",
    ),
    DoctorRule(
        id="GV108",
        code="saved_count",
        title="Other number of saved tensors",
        severity="error",
        evidence=("source", "torch"),
        summary="backward reads another number of saved tensors than forward saves.",
        why=(
            "ctx.saved_tensors is a tuple of exactly the tensors in the last call of "
            "save_for_backward, in the same order. Python raises an error when more or fewer names "
            "unpack it."
        ),
        remedy="Unpack as many tensors as are saved, in the same order.",
        refusal="values to unpack|tuple index out of range",
        refusal_is_clear=False,
        messages={
            "finding.saved_count.source": (
                "{where} reads {count} saved tensors, but {function}.{saver} saves {saved}: Python "
                "raises an error. Save and unpack the same ones."
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
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


Product.apply(x, x.detach().clone().requires_grad_()).sum().backward()
""",
    ),
    DoctorRule(
        id="GV109",
        code="context_attribute_missing",
        title="Attribute of ctx missing",
        severity="error",
        evidence=("torch", "source"),
        summary="backward reads an attribute of ctx that nothing has set.",
        why=(
            "ctx has only what forward or setup_context has stored there. It is not the class: "
            "attributes of the Function are not found on it."
        ),
        remedy=(
            "Store the value in forward, like ctx.factor = factor; or save a tensor with "
            "save_for_backward."
        ),
        refusal=r"'\w+Backward' object has no attribute '(?!_fwd_used_autocast|_dtype)",
        messages={
            "finding.context_attribute_missing.source": (
                "{where} reads ctx.{name}, which no method of {function} sets: Python raises an "
                "AttributeError. Store it in {saver}."
            ),
        },
        example="""\
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
+        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None


Scale.apply(x, 3.0).sum().backward()
""",
    ),
    DoctorRule(
        id="GV110",
        code="tensor_on_class",
        title="Tensor stored on the class",
        severity="warning",
        evidence=("source",),
        summary="forward stores a tensor on the class or in a global variable.",
        why=(
            "All calls share the class and global variables. If the Function is applied twice "
            "before backward, backward of the first call reads the tensor of the second."
        ),
        remedy="Pass the tensor to ctx.save_for_backward, which belongs to one call.",
        messages={
            "finding.tensor_on_class.source": (
                "{where} stores a tensor as {name}, which all calls share: backward may read that "
                "of another call. Save it with ctx.save_for_backward."
            ),
        },
        example="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
-        Square.x = x
+        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
-        return 2 * Square.x * grad_output
+        (x,) = ctx.saved_tensors
+        return 2 * x * grad_output


Square.apply(x).sum().backward()
""",
    ),
)
