"""The only file that touches names of torch that may change; each says what it relies on."""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, cast

import torch
from torch import _C
from torch.autograd import function as autograd_function
from torch.autograd import graph as autograd_graph
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

sequence_number = _C._autograd._get_sequence_nr
"""The number that the next node made in this thread gets."""

current_pass = _C._current_graph_task_id
"""The engine's number of the backward pass that runs in this thread, or -1."""

current_node = _C._current_autograd_node
"""The node that the engine executes in this thread, or None."""

is_autocast: Callable[[], bool] = vars(_C)["_is_any_autocast_enabled"]
"""Whether torch casts by itself in this thread, on any device."""

is_wrapped = _C._functorch.is_functorch_wrapped_tensor
"""Whether a tensor is a wrapper of functorch's (vmap, grad, jvp)."""

FunctionBase = autograd_function._SingleLevelFunction
"""Base of every Function, also of those that functorch generates."""

BackwardNode = autograd_function.BackwardCFunction
"""Base of every ``ctx``, which is the node of a custom Function too."""

_set_grad = _C._set_grad_enabled
_grad_enabled = torch.is_grad_enabled
_dispatch_modes = _C._len_torch_dispatch_stack
_functorch_active = _C._are_functorch_transforms_active
_tracing_state = _C._get_tracing_state
_set_tracing_state = getattr(_C, "_set_tracing_state")  # noqa: B009 - not in its types
_NO_FUNCTION = _C.DisableTorchFunction


class Quiet:
    """Inside, torch calls reach no mode, subclass, graph or tracer, and leave no other trace.

    Cheap where no mode is active, as it is entered for each node.
    """

    __slots__ = ("_extra", "_function", "_grad", "_tracing")

    def __enter__(self) -> None:
        self._function = _NO_FUNCTION()
        self._function.__enter__()
        self._grad = _grad_enabled()
        if self._grad:
            _set_grad(False)
        self._tracing = _tracing_state()
        if self._tracing is not None:
            _set_tracing_state(None)
        self._extra: list[Any] = []
        if _dispatch_modes():
            self._enter(_no_dispatch())
        if _functorch_active():
            from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack

            self._enter(temporarily_clear_interpreter_stack())

    def _enter(self, context: Any) -> None:
        context.__enter__()
        self._extra.append(context)

    def __exit__(self, *exception: object) -> None:
        while self._extra:
            self._extra.pop().__exit__(None, None, None)
        if self._tracing is not None:
            _set_tracing_state(self._tracing)
        if self._grad:
            _set_grad(True)
        self._function.__exit__(None, None, None)


def _no_dispatch() -> Any:
    """Ten times faster where the only mode is ours, which no op has to be kept from for good."""
    if _dispatch_modes() == 1 and isinstance(_C._get_dispatch_stack_at(0), DispatchMode):
        return _C._DisableTorchDispatch()
    from torch.utils._python_dispatch import _disable_current_modes

    return _disable_current_modes()


def unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor inside functorch's wrappers."""
    while is_wrapped(tensor):
        tensor = _C._functorch.get_unwrapped(tensor)
    return tensor


storage_address: Callable[[torch.Tensor], int] = getattr(_C, "_storage_address")  # noqa: B009
"""Address of a strided tensor's storage; unique only among the living.

``tensor.untyped_storage()`` would do, but it leaves a Python object on the storage; the engine then
no longer accumulates into such a gradient in place, which shows in its version counter.
"""

has_storage = _C._has_storage
"""Whether a tensor has memory of its own, as the wrappers of vmap have not."""


def weak_storage(tensor: torch.Tensor) -> StorageWeakRef:
    """Keeps the address of a tensor's storage from being used again, but not its memory.

    Not for gradients inside a backward pass: see `storage_address`.
    """
    return StorageWeakRef(tensor.untyped_storage())


def has_own_dispatch(tensor: torch.Tensor) -> bool:
    """Whether operations on the tensor run Python code of its class."""
    own = type(tensor).__torch_dispatch__
    return (
        own is not torch.Tensor.__torch_dispatch__ and own is not _C._disabled_torch_dispatch_impl
    )


_OF_TENSOR = torch.Tensor.__dict__["__torch_function__"]


def protocol_owner(kind: type) -> type | None:
    """The class from which a type has its ``__torch_function__``; None where it is torch's own."""
    owner = next((each for each in kind.__mro__ if "__torch_function__" in each.__dict__), None)
    if owner is None or owner is torch.Tensor or owner.__module__.partition(".")[0] == "torch":
        return None
    held = owner.__dict__["__torch_function__"]
    return None if held is _C._disabled_torch_function_impl else owner


def has_default_protocol(kind: type) -> bool:
    """Whether a type has the ``__torch_function__`` of ``torch.Tensor``."""
    found = (each.__dict__.get("__torch_function__") for each in kind.__mro__)
    return next((each for each in found if each is not None), None) is _OF_TENSOR


asks_types: Callable[[], bool] = vars(_C)["_is_torch_function_enabled"]
"""Whether torch asks the types of what it is given, as it does not within ``torch.Tensor``'s own
``__torch_function__``."""


def version_of(tensor: torch.Tensor) -> int | None:
    """The tensor's version counter; None for inference tensors, which have none."""
    return None if tensor.is_inference() else tensor._version


def is_view(tensor: torch.Tensor) -> bool:
    """Whether autograd knows the tensor as a view of another one."""
    return tensor._is_view()


def entries_of(tensor: torch.Tensor) -> int | None:
    """How many entries a sparse tensor has; None for any other."""
    return tensor._nnz() if tensor.layout in _SPARSE else None


_SPARSE = (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)


def mark_of(node: Any, key: str) -> int | None:
    """The number that `set_mark` left on a node."""
    return cast("int | None", node.metadata.get(key))


def set_mark(node: Any, key: str, number: int) -> None:
    """Leaves a number on a node. Unlike a table of nodes, it keeps no graph alive."""
    node.metadata[key] = number


def is_last_hook(handle: Any) -> bool:
    """Whether no hook of its kind was put on the node after this one."""
    hooks = handle.hooks_dict_ref()
    return hooks is not None and next(reversed(hooks), None) == handle.id


def is_only_hook(handle: Any) -> bool:
    """Whether no other hook of its kind is on the node."""
    hooks = handle.hooks_dict_ref()
    return hooks is not None and len(hooks) == 1


def hooks_of(tensor: torch.Tensor) -> bool:
    """Whether hooks of the run wait for the gradient of a tensor."""
    return bool(tensor._backward_hooks)


def hooks_after(tensor: torch.Tensor) -> bool:
    """Whether hooks of the run wait for a leaf's gradient to be accumulated."""
    return bool(getattr(tensor, "_post_accumulate_grad_hooks", None))


def hook_first(tensor: torch.Tensor, hook: Callable[..., None]) -> Any:
    """Registers a hook on a tensor, in front of all others."""
    return _first(tensor.register_hook(hook))


def hook_first_after(tensor: torch.Tensor, hook: Callable[..., None]) -> Any:
    """Registers a hook for when a leaf's gradient is accumulated, in front of all others."""
    return _first(tensor.register_post_accumulate_grad_hook(hook))


def _first(handle: Any) -> Any:
    hooks = handle.hooks_dict_ref()
    others = [(key, hook) for key, hook in hooks.items() if key != handle.id]
    for key, hook in others:
        # Torch calls them in the order of the dictionary.
        del hooks[key]
        hooks[key] = hook
    return handle


def is_first_hook(handle: Any) -> bool:
    """Whether no hook of its kind comes before this one."""
    hooks = handle.hooks_dict_ref()
    return hooks is not None and next(iter(hooks), None) == handle.id


def other_hooks(handle: Any) -> list[Any]:
    """All hooks of its kind but this one."""
    hooks = handle.hooks_dict_ref() or {}
    return [hook for key, hook in hooks.items() if key != handle.id]


def remove_mark(node: Any, key: str) -> None:
    """Takes the number away again."""
    node.metadata.pop(key, None)


def node_sequence(node: Any) -> int | None:
    """A node's sequence number; None for ``AccumulateGrad``, which has the highest there is."""
    number = node._sequence_nr()
    return None if number >= 1 << 63 else number


def is_error_node(node: Any) -> bool:
    """Whether a node raises when it is executed, as those of ``once_differentiable`` do."""
    return bool(node.name() == "torch::autograd::Error")


def input_metadata(node: Any, slot: int) -> Any:
    """Shape, dtype and device that the gradient for one output of a node's forward must have."""
    return node._input_metadata[slot]


def raw_saved(node: Any, name: str) -> Any:
    """The handle behind ``node._saved_<name>``, which can be asked without unpacking."""
    return getattr(node, "_raw" + name, None)


def saved_handle(node: Any, name: str, slot: int | None) -> Any:
    """The handle behind a value that a node saves, as `saved_value` finds it."""
    if slot is not None:
        return node._raw_saved_tensors[slot]
    attribute, at = _attribute(name)
    handle = getattr(node, f"_raw_saved_{attribute}")
    return handle if at is None else handle[at]


def saved_value(node: Any, name: str, slot: int | None) -> Any:
    """A value that a node saves, unpacked.

    Args:
        node: The node.
        name: Of torch's own node, as ``_saved_<name>`` has it, like ``self`` or ``tensors[1]``.
        slot: Position among what a custom Function saved; None for torch's own nodes.
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
    """Whether saved-tensor hooks hold the value behind a handle."""
    return getattr(handle, "unpack_hook", None) is not None


def packed_value(handle: Any) -> Any:
    """What a pack hook returned; nothing is unpacked. None where that is not known."""
    try:
        return handle.data
    except (AttributeError, RuntimeError):
        return None


def root_node(output: Any) -> tuple[Any, int]:
    """The node and output number at which a backward pass from ``output`` starts.

    Args:
        output: A tensor or a ``GradientEdge``.

    Returns:
        ``(None, 0)`` where there is no node.
    """
    if isinstance(output, autograd_graph.GradientEdge):
        return output.node, output.output_nr
    if output.grad_fn is not None:
        return output.grad_fn, output.output_nr
    if output.requires_grad:
        edge = autograd_graph.get_gradient_edge(output)
        return edge.node, edge.output_nr
    return None, 0


def functorch_is_active() -> bool:
    """Whether vmap, grad, jvp ... of functorch are at work."""
    return _functorch_active()


class ForceEager:
    """Makes ``torch.compile`` run what it is given as it stands, so that user methods are called.

    Dynamo takes seconds to import, so it is only spoken to where it has been imported, or when
    ``torch.compile`` is called.
    """

    def __init__(self) -> None:
        self._stance: Any = None

    def install(self) -> None:
        """Takes the stance now, if anything can have been compiled."""
        if self._stance is None and "torch._dynamo" in sys.modules:
            self._stance = torch.compiler.set_stance("force_eager")

    def compile(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """For ``torch.compile``."""

        @functools.wraps(original)
        def compile_eagerly(*args: Any, **kwargs: Any) -> Any:
            importlib.import_module("torch._dynamo")
            self.install()
            return original(*args, **kwargs)

        return compile_eagerly

    def remove(self) -> None:
        """Goes back to the stance before."""
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
            self._stance = None


THREAD_START = (threading.Thread, "_bootstrap_inner")
"""What every thread that Python starts runs first, also where ``run`` is overridden."""


def function_modes() -> list[Any]:
    """The torch-function modes active in this thread, outermost first."""
    return [_C._get_function_stack_at(i) for i in range(_C._len_torch_function_stack())]


def take_off(mode: Any) -> None:
    """Removes a torch-function mode from this thread's stack, also from below others."""
    above = []
    while _C._len_torch_function_stack() > 0:
        top = _C._pop_torch_function_stack()
        if top is mode:
            break
        above.append(top)
    for each in reversed(above):
        _C._push_on_torch_function_stack(each)


def put_on(mode: Any) -> None:
    """Puts a torch-function mode on top of this thread's stack."""
    _C._push_on_torch_function_stack(mode)


ALTERED_NODES = frozenset(
    (
        *("CumprodBackward0", "MaskedFillBackward1", "ProdBackward0", "ProdBackward1"),
        *("LinalgDetBackward0", "LinalgEighBackward0", "LinalgLstsqBackward0"),
        "OrmqrBackward0",
    )
)
"""Nodes that torch computes in another way, and not to the same bits, under a dispatch mode.

Found by running all that torch tests its derivatives with, to the second order. Its C++ formulas
ask ``isTensorSubclassLike``, to which any mode makes the answer yes.
"""

ALTERED_FUNCTIONS = frozenset(("linalg_lstsq", "linalg_pinv", "pinverse"))
"""Functions of which the same is true."""


class DispatchMode(TorchDispatchMode):
    """A dispatch mode that may be on in several threads at once: it remembers nothing of them."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        """Leaves out what torch's own one remembers of the modes before it."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Else torch imports dynamo, which takes seconds, to keep it from compiling what is here.
        return False


def schema_of(op: Any) -> Any:
    """What an aten op says of its arguments and returns; None for a higher-order operator."""
    return getattr(op, "_schema", None)


def call_op(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Goes on with an op that a dispatch mode was given.

    Without the mode, no torch-function mode would hear of one that torch calls by itself. One that
    may be written in Python is left alone: the modes of the run are to see what it calls.
    """
    if getattr(op, "namespace", "") != "aten":
        return op(*args, **kwargs)
    with _NO_FUNCTION():
        return op(*args, **kwargs)


def overload_of(op: Any) -> str:
    """Which overload of an aten op it is, like ``default``; empty for a higher-order operator."""
    return str(getattr(op, "_overloadname", ""))


def dispatch_modes() -> list[Any]:
    """The dispatch modes active in this thread, outermost first."""
    return [_C._get_dispatch_stack_at(i) for i in range(_dispatch_modes())]


def put_on_dispatch(mode: DispatchMode) -> None:
    """Puts a dispatch mode on top of this thread's stack."""
    _C._push_on_torch_dispatch_stack(mode)


def take_off_dispatch(mode: DispatchMode) -> None:
    """Removes a dispatch mode from this thread's stack, also from below others."""
    above = []
    while _dispatch_modes():
        top = _C._pop_torch_dispatch_stack(None)
        if top is mode:
            break
        above.append(top)
    for each in reversed(above):
        _C._push_on_torch_dispatch_stack(each)


def wait_for(devices: Iterable[torch.device]) -> bool:
    """Waits until accelerators have done all that they were asked for.

    Returns:
        False where that cannot be, as while a CUDA graph is captured.
    """
    if torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
        return False
    try:
        for device in devices:
            torch.accelerator.synchronize(device)
    except (RuntimeError, ValueError):
        # What a kernel did wrong is told again with the next call of the run, where it belongs.
        return False
    return True
