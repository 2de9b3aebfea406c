"""Torch's private and unstable APIs other than those of tensors, with what they rely on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from itertools import starmap
from operator import methodcaller
from typing import Any

import torch
from torch import _C, _vmap_internals
from torch.autograd import function as autograd_function
from torch.autograd import graph as autograd_graph
from torch.overrides import has_torch_function
from torch.utils._python_dispatch import TorchDispatchMode

from gradviz.recorder.asynchronous_errors import completed_by
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.tensors import tensor_compat

sequence_number = _C._autograd._get_sequence_nr
"""Sequence number that the next node created in this thread gets."""

current_pass = _C._current_graph_task_id
"""The engine's id of the backward pass that runs in this thread, or -1."""

current_node = _C._current_autograd_node
"""The node that the engine is executing in this thread, or None."""

is_autocast: Callable[[], bool] = vars(_C)["_is_any_autocast_enabled"]
"""Whether autocast is enabled in this thread, for any device."""

functorch_is_active: Callable[[], bool] = _C._are_functorch_transforms_active
"""Whether a functorch transform (vmap, grad, jvp, ...) is active."""

vmap_of_gradcheck: Callable[..., Callable[..., Any]] = _vmap_internals._vmap
"""The ``vmap`` of ``gradcheck``: without the levels of ``torch.func``, unlike ``torch.vmap``."""

FunctionBase = autograd_function._SingleLevelFunction
"""Base class of every Function, including those that functorch generates."""

FunctionBaseInC = _C._FunctionBase
"""Base class of that one, which implements ``apply``."""

IS_APPLY_PYTHON = isinstance(vars(torch.autograd.Function)["apply"], classmethod)
"""Whether ``Function.apply`` is written in Python, as in torch 2.13."""

BackwardNode = autograd_function.BackwardCFunction
"""Base class of every ``ctx``, which is also the node of a custom Function."""

NodeHookMixin = autograd_function._HookMixin
"""Class whose ``_register_hook`` torch calls to add a hook to a node of any kind."""

HAS_BOXED_APPLY = "apply_boxed" in vars(BackwardNode)
"""Whether the engine calls it instead of the node's ``apply``; torch 2.6 has none."""

# Bound once, because every node needs them.
set_grad_enabled = _C._set_grad_enabled
_grad_enabled = torch.is_grad_enabled
_dispatch_modes = _C._len_torch_dispatch_stack
_tracing_state = _C._get_tracing_state
_set_tracing_state = getattr(_C, "_set_tracing_state")  # noqa: B009 - not in its types
_NO_FUNCTION = _C.DisableTorchFunction


def disabled_torch_modes() -> Any:
    """Context manager in which torch calls reach no mode, subclass, graph or tracer.

    Enter it before the active modes change. Most calls get a `DISABLED_FUNCTIONS`, because it is
    entered several times for every node.
    """
    if (
        _grad_enabled()
        or _dispatch_modes()
        or functorch_is_active()
        or _tracing_state() is not None
    ):
        return _DisabledModes()
    return _NO_FUNCTION()


class _DisabledModes:
    """Context manager that disables whatever is active besides torch-function modes, too.

    Exceptions from outside come only after a function in C, not before it, and not after one in
    Python.
    """

    # No constructor: this is entered several times for every node.
    _extra: tuple[Any, ...] = ()
    _dispatch: Any = None
    _function: Any = None
    _tracing: Any = None
    _grad = False

    @completed_by("__exit__")
    def __enter__(self) -> None:
        self._function = _NO_FUNCTION()
        self._function.__enter__()
        # Not `torch.no_grad()`, which goes through more Python code to do the same.
        if _grad_enabled():
            self._grad = True
            set_grad_enabled(False)
        # Under torch.jit.trace, our own calls would become part of the traced graph.
        if (tracing := _tracing_state()) is not None:
            self._tracing = tracing
            _set_tracing_state(None)
        if _dispatch_modes():
            if _is_only_ours():
                # Ten times faster.
                self._dispatch = _C._DisableTorchDispatch()
                self._dispatch.__enter__()
            else:
                from torch.utils._python_dispatch import _disable_current_modes

                self._enter(_disable_current_modes())
        # An active transform (vmap, grad, ...) would transform our own calls too.
        if functorch_is_active():
            from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack

            self._enter(temporarily_clear_interpreter_stack())

    def _enter(self, context: Any) -> None:
        context.__enter__()
        self._extra = (*self._extra, context)

    @completed_by("__exit__")
    def __exit__(self, *exception: object) -> None:
        while self._extra:
            *others, context = self._extra
            self._extra = tuple(others)
            context.__exit__(None, None, None)
        if self._dispatch is not None:
            self._dispatch.__exit__(None, None, None)
            self._dispatch = None
        if self._tracing is not None:
            _set_tracing_state(self._tracing)
            self._tracing = None
        if self._grad:
            set_grad_enabled(True)
            self._grad = False
        if self._function is not None:
            self._function.__exit__(None, None, None)
            self._function = None


DISABLED_FUNCTIONS = _NO_FUNCTION
"""Context manager that disables torch-function modes and ``__torch_function__``."""


def _is_only_ours() -> bool:
    """Whether the only dispatch mode is that of a recording."""
    return _dispatch_modes() == 1 and isinstance(_C._get_dispatch_stack_at(0), DispatchMode)


def hooks_of(tensor: torch.Tensor) -> bool:
    """Whether a tensor has hooks on its gradient."""
    return bool(tensor._backward_hooks)


def hooks_after(tensor: torch.Tensor) -> bool:
    """Whether a leaf has hooks that run after its gradient is accumulated."""
    return bool(getattr(tensor, "_post_accumulate_grad_hooks", None))


def hook_first(tensor: torch.Tensor, hook: Callable[..., None], *, accumulated: bool) -> Any:
    """Register a hook that runs before all others on a tensor; on a leaf also for its total."""
    if accumulated:
        return first_hook(tensor.register_post_accumulate_grad_hook(hook))
    # Otherwise torch warns that it does not save our hook with the tensor.
    hook.__dict__["__torch_unserializable__"] = True
    return first_hook(tensor.register_hook(hook))


def first_hook(handle: Any) -> Any:
    """Let a hook that has just been registered run before all others of its kind."""
    hooks = handle.hooks_dict_ref()
    others = [(key, hook) for key, hook in hooks.items() if key != handle.id]
    for key, hook in others:
        # Torch calls hooks in the order of the dictionary.
        del hooks[key]
        hooks[key] = hook
    return handle


def is_first_hook(handle: Any) -> bool:
    """Whether no hook of the same kind runs before this one."""
    hooks = handle.hooks_dict_ref()
    return hooks is not None and next(iter(hooks), None) == handle.id


def other_hooks(handle: Any) -> list[Any]:
    """All hooks of the same kind except this one."""
    hooks = handle.hooks_dict_ref() or {}
    return [hook for key, hook in hooks.items() if key != handle.id]


sequence_of: Callable[[Any], int] = methodcaller("_sequence_nr")
"""A node's sequence number; at least `NO_SEQUENCE` for ``AccumulateGrad``, which has none."""


def node_name(node: Any) -> str:
    """Torch's name of a node, which a custom Function may hide behind a ``ctx.name`` of its own."""
    # Under vmap, a ctx is an object that hands everything on to the node.
    find = getattr(type(node), "name", None)
    name: str = node.name() if find is None else find(node)
    return name


NO_SEQUENCE = 1 << 63
"""More than every sequence number."""


ERROR_NODE = "torch::autograd::Error"
"""Name of a node that raises when executed, like those of ``once_differentiable``."""


def saved_handle(node: Any, name: str, slot: int | None) -> Any:
    """The ``SavedTensor`` behind a saved value, selected as in `saved_value`."""
    if slot is not None:
        return node._raw_saved_tensors[slot]
    attribute, at = _attribute(name)
    handle = getattr(node, f"_raw_saved_{attribute}")
    return handle if at is None else handle[at]


def saved_value(node: Any, name: str, slot: int | None) -> Any:
    """A value that a node has saved, unpacked.

    Args:
        node: The node.
        name: For torch's own nodes, the name after ``_saved_``, like ``self`` or ``tensors[1]``.
        slot: Position in ``saved_tensors`` of a custom Function; None for torch's own nodes.
    """
    if slot is not None:
        return node.saved_tensors[slot]
    attribute, at = _attribute(name)
    value = getattr(node, f"_saved_{attribute}")
    return value if at is None else value[at]


def _attribute(name: str) -> tuple[str, int | None]:
    attribute, _, rest = name.partition("[")
    return attribute, int(rest.removesuffix("]")) if rest else None


def is_packed(handle: Any) -> bool:
    """Whether saved-tensor hooks have packed the value behind a handle, or a list of them."""
    if type(handle) in (tuple, list):
        return any(map(is_packed, handle))
    return getattr(handle, "unpack_hook", None) is not None


def packed_value(handle: Any) -> Any:
    """What a pack hook returned, without unpacking it; None if that is unknown."""
    try:
        return handle.data
    except (AttributeError, RuntimeError):
        return None


def root_node(output: Any) -> tuple[Any, int]:
    """The node and output number at which a backward pass from ``output`` starts.

    Args:
        output: A tensor or a ``GradientEdge``.

    Returns:
        ``(None, 0)`` if there is no node.
    """
    if isinstance(output, autograd_graph.GradientEdge):
        return output.node, output.output_nr
    if tensor_compat.grad_fn_of(output) is not None:
        return tensor_compat.grad_fn_of(output), output.output_nr
    # A leaf has no grad_fn. Torch creates its AccumulateGrad node on demand.
    if tensor_compat.requires_grad_of(output):
        with torch.inference_mode(False):
            edge = autograd_graph.get_gradient_edge(output)
        return edge.node, edge.output_nr
    return None, 0


def gradients_of(
    outputs: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
    gradients: Sequence[torch.Tensor],
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> tuple[torch.Tensor | None, ...]:
    """Run ``torch.autograd.grad`` with ``allow_unused``, for gradients that fit their outputs.

    To compare two shapes, that function imports sympy, which takes 0.4 s of CPU.
    """
    outputs, inputs, gradients = tuple(outputs), tuple(inputs), tuple(gradients)
    keep = retain_graph or create_graph
    pairs = zip(outputs, gradients, strict=True)
    # The engine alone would sum a gradient that is too large.
    if has_torch_function((*outputs, *inputs)) or not all(starmap(_fits, pairs)):
        return torch.autograd.grad(
            outputs, inputs, gradients, keep, create_graph, allow_unused=True
        )
    found: tuple[torch.Tensor | None, ...] = autograd_graph._engine_run_backward(
        outputs, gradients, keep, create_graph, inputs, True, accumulate_grad=False
    )
    return found


def _fits(output: torch.Tensor, gradient: torch.Tensor) -> bool:
    if output.is_nested or output.dtype.is_complex != gradient.dtype.is_complex:
        return False
    return output.shape == gradient.shape


THREAD_START = (threading.Thread, "_bootstrap_inner")
"""What every Python thread runs first, even if ``run`` is overridden."""


def function_modes() -> list[Any]:
    """Torch-function modes active in this thread, outermost first."""
    return [_C._get_function_stack_at(i) for i in range(_C._len_torch_function_stack())]


def _take_off(mode: Any, count: Callable[[], int], pop: Any, push: Callable[[Any], None]) -> None:
    """Remove a mode from a stack of this thread, even from below others."""
    above = []
    while count():
        top = pop()
        if top is mode:
            break
        above.append(top)
    for each in reversed(above):
        push(each)


def pop_mode(mode: Any) -> None:
    """Remove a torch-function mode from this thread's stack, even from below others."""
    _take_off(mode, _C._len_torch_function_stack, _C._pop_torch_function_stack, push_mode)


def push_mode(mode: Any) -> None:
    """Push a torch-function mode onto this thread's stack."""
    _C._push_on_torch_function_stack(mode)


ALTERED_NODES = frozenset(
    (
        *("CumprodBackward0", "MaskedFillBackward1", "ProdBackward0", "ProdBackward1"),
        *("LinalgDetBackward0", "LinalgEigBackward0", "LinalgEighBackward0"),
        *("LinalgLstsqBackward0", "OrmqrBackward0"),
        *("MaxBackward1", "MinBackward1", "MedianBackward0", "NanmedianBackward0"),
    )
)
"""Nodes that torch computes differently, down to the bits, under a dispatch mode.

Found by running torch's own operations up to second order. The C++ formulas ask
``isTensorSubclassLike``, which is true under any mode. Some then add up in another order or
return -0.0 for 0.0, and some leave out a check that refuses a gradient which is not defined.
"""

ALTERED_FUNCTIONS = frozenset(("linalg_lstsq", "linalg_pinv", "pinverse"))
"""Functions to which the same applies."""


class DispatchMode(TorchDispatchMode):
    """Dispatch mode without state, so that it can be active in several threads at once."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        """Skip the parent's ``__init__``, which stores state about the modes before this one."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Otherwise torch imports dynamo, which takes seconds, to skip this mode in compilation.
        return False


def schema_of(op: Any) -> Any:
    """Schema of an aten op's arguments and returns; None for a higher-order operator."""
    return getattr(op, "_schema", None)


def schemas_of_name(name: str) -> list[Any]:
    """Schemas of the overloads for tensors of the aten op with a name; empty without one."""
    found = torch._C._jit_get_schemas_for_operator(f"aten::{name}")
    kinds = ("Tensor", "List[Tensor]")
    return [each for each in found if each.arguments and str(each.arguments[0].type) in kinds]


LIBRARY_OPS = (
    *(torch._ops.OpOverload, torch._ops.OpOverloadPacket),
    # Such as those with which optimizers name their steps for the profiler.
    *(getattr(torch._ops, name) for name in ("TorchBindOpOverload",) if hasattr(torch._ops, name)),
)
"""What ``torch.ops.library.op.default`` and ``torch.ops.library.op`` are."""


def library_op_name(op: Any) -> str:
    """Name of an op with that of its library, like ``library.op``; without ``aten``."""
    overload = isinstance(op, torch._ops.OpOverload)
    packet = op.overloadpacket if overload else op
    library, _, name = packet._qualified_op_name.partition("::")
    if overload and op._overloadname != "default":
        name = f"{name}.{op._overloadname}"
    return name if library == "aten" else f"{library}.{name}"


def schemas_of_library_op(op: Any) -> list[Any]:
    """Schemas of the overloads of an op."""
    if isinstance(op, torch._ops.OpOverload):
        return [op._schema]
    return [getattr(op, overload)._schema for overload in op.overloads()]


@calls_user_code
def call_op(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Continue an op that a dispatch mode has received.

    Torch-function modes must not see an aten op that torch calls itself, as they would not
    without our mode. Other ops may be written in Python, so the run's modes must see what those
    call.
    """
    if getattr(op, "namespace", "") != "aten":
        return op(*args, **kwargs)
    with _NO_FUNCTION():
        return op(*args, **kwargs)


def is_dispatch_mode_on(mode: DispatchMode) -> bool:
    """Whether a dispatch mode is on this thread's stack."""
    return id(mode) in map(id, map(_C._get_dispatch_stack_at, range(_dispatch_modes())))


def push_dispatch_mode(mode: DispatchMode) -> None:
    """Push a dispatch mode onto this thread's stack."""
    _C._push_on_torch_dispatch_stack(mode)


def pop_dispatch_mode(mode: DispatchMode) -> None:
    """Remove a dispatch mode from this thread's stack, even from below others."""
    pop = partial(_C._pop_torch_dispatch_stack, None)
    _take_off(mode, _dispatch_modes, pop, push_dispatch_mode)
