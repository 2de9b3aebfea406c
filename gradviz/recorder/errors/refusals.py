"""Exceptions of torch that end a run: what has led to them, at which line, and what helps."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable

import torch
from msgspec import Struct

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.model.source import Location
from gradviz.model.step import ErrorStep
from gradviz.recorder.compat import disabled_torch_modes, node_name
from gradviz.recorder.error_boundary import attempt
from gradviz.recorder.errors.history_ends import HistoryEnds
from gradviz.recorder.errors.history_sentences import end_sentences
from gradviz.recorder.errors.raised import Raised
from gradviz.recorder.forward.lost_history import tensors_in
from gradviz.recorder.frame_variables import variables_of
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.run_errors import frames_of
from gradviz.recorder.safe_text import class_name, printable_text
from gradviz.recorder.tensors.tensor_compat import base_of, readable_grad_fn, requires_grad_of
from gradviz.recorder.torch_functions import torch_function
from gradviz.recorder.training.optimizers import parameters_of
from gradviz.recorder.user_traceback import traceback_of
from gradviz.text.phrases import shape_text


class RefusalExplanation(Struct, frozen=True):
    """Why torch has refused something.

    Attributes:
        code: Code of the finding.
        message: Variable, line and remedy.
        location: The line to change; None for the line that raised.
        node: Node that it concerns; None for that of the error.
    """

    code: str
    message: str
    location: Location | None = None
    node: int | None = None


def explain_refusal(
    context: RecordingContext, ends: HistoryEnds, error: BaseException, step: ErrorStep
) -> bool:
    """Report why torch has raised the exception that ends the run, if that is known for certain.

    Args:
        context: What the recorders share.
        ends: Where histories ended.
        error: The exception.
        step: Its step.

    Returns:
        Whether something was reported.
    """
    for pattern, explain in _REFUSALS:
        if not (found := re.search(pattern, step.message)):
            continue
        frames = tuple([frame for frame, _ in frames_of(traceback_of(error))])
        raised = Raised(context, ends, step, frames)
        with disabled_torch_modes():
            explained = attempt(context.log, explain, raised, found)
        if isinstance(explained, Exception):
            context.log.report_error("explain_refusal", explained)
        elif explained is not None:
            context.reporter.report(
                explained.code,
                explained.message,
                "error",
                step=step.number,
                node=explained.node or step.node,
                location=explained.location or step.location,
            )
            return True
    return False


def _of_no_history(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``element 0 of tensors does not require grad and does not have a grad_fn``."""
    roots = raised.local("_engine_run_backward", "t_outputs")
    position = int(found[1])
    if not isinstance(roots, (tuple, list)) or position >= len(roots):
        return None
    root = roots[position]
    name = raised.name_of(root) or say("refused.result")
    ends = raised.ends
    message, end = end_sentences(say("refused.no_history", name=name), ends.of(root), ends.left)
    line = None if end is None else end.location
    return RefusalExplanation("no_history", message, line, ends.node_before(end))


def _of_many_outputs(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``grad can be implicitly created only for scalar outputs``."""
    out = raised.local("_make_grads", "out")
    if not isinstance(out, torch.Tensor) or out.numel() == 1:
        return None
    name = raised.name_of(out)
    key = "refused.many_outputs" if name else "refused.many_outputs.unnamed"
    shape = shape_text(tuple(out.shape))
    message = say(key, name=name, count=format_count(out.numel()), shape=shape)
    return RefusalExplanation("many_outputs", message)


def _of_complex_output(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``grad can be implicitly created only for real scalar outputs but got torch.complex64``."""
    out = raised.local("_make_grads", "out")
    name = raised.name_of(out) if isinstance(out, torch.Tensor) else ""
    if not name:
        return None
    return RefusalExplanation("complex_output", say("refused.complex_output", name=name))


def _of_result_in_optimizer(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``can't optimize a non-leaf Tensor``."""
    given = raised.local("add_param_group", "param")
    if not isinstance(given, torch.Tensor) or (maker := readable_grad_fn(given)) is None:
        return None
    name = raised.name_of(given) or say("refused.argument")
    message = say("refused.result_in_optimizer", name=name, node=node_name(maker))
    return RefusalExplanation("gradient_not_kept", message)


def _of_empty_parameters(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``optimizer got an empty parameter list``."""
    return RefusalExplanation("generator_used_up", say("refused.empty_parameters"))


def _of_inference(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``Inference tensors cannot be saved for backward``."""
    _, args = raised.called()
    tensors = [each for each in tensors_in(args) if each.is_inference()]
    if not tensors:
        return None
    name = raised.name_of(tensors[0]) or say("refused.argument")
    ends = [each for each in raised.ends.of(tensors[0]) if each.kind == "inference"]
    location = ends[-1].location if ends else None
    if location is None:
        return RefusalExplanation("inference_tensor", say("refused.inference", name=name))
    message = say("refused.inference.line", name=name, line=location.line)
    return RefusalExplanation("inference_tensor", message, location)


def _of_leaf(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``a leaf Variable that requires grad is being used in an in-place operation``."""
    function, args = raised.called()
    if function is None or not args or not isinstance(args[0], torch.Tensor):
        return None
    leaf = base_of(args[0])
    if not requires_grad_of(leaf) or readable_grad_fn(leaf) is not None:
        return None
    name = raised.name_of(leaf)
    if not name:
        return None
    key = "refused.leaf.parameter" if isinstance(leaf, torch.nn.Parameter) else "refused.leaf"
    message = say(key, name=name, op=torch_function(function).name, line=raised.line)
    return RefusalExplanation("leaf_changed_in_place", message)


def _of_copy(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``Only Tensors created explicitly by the user support the deepcopy protocol``."""
    result = raised.local("__deepcopy__", "self")
    if not isinstance(result, torch.Tensor):
        return None
    maker = readable_grad_fn(result)
    path = []
    outermost: object = None
    for frame in raised.frames:
        if frame.f_code.co_filename != _COPY:
            continue
        known = frame.f_locals
        outermost = known.get("x") if outermost is None else outermost
        if frame.f_code.co_name == "_deepcopy_dict" and isinstance(known.get("key"), str):
            path.append(known["key"])
    owner = raised.variable_of(outermost) if outermost is not None else ""
    kept = [each for each in path if each not in ("_modules", "_parameters", "_buffers")]
    name = printable_text(".".join(filter(None, (owner or class_name(type(outermost)), *kept))))
    if not path:
        name = raised.name_of(result) or say("refused.argument")
    node = say("refused.some_node") if maker is None else node_name(maker)
    # The older of two functions for a weight norm keeps its result as an attribute of the module.
    key = "refused.copy.weight_norm" if node.startswith("WeightNorm") else "refused.copy"
    return RefusalExplanation("copy_of_result", say(key, name=name, node=node, line=raised.line))


_COPY = copy.__file__


def _of_hooked_module(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``Output 0 of BackwardHookFunction is a view and is being modified inplace``."""
    function, _ = raised.called()
    running = list(raised.modules())
    if function is None or not running:
        return None
    inside = running[-1]
    hooked = [(path, each) for path, each in inside.named_modules() if _hooks_of(each)]
    own = [each for each in hooked if each[1] is running[0]]
    if len(hooked) != 1 and len(own) != 1:
        return None
    path, module = own[0] if own else hooked[0]
    hook = _hooks_of(module)[0]
    location = raised.line_of_code(hook)
    root = raised.variable_of(inside) or class_name(type(inside))
    place = next((each for each, made in inside.named_modules() if made is running[0]), "")
    words = {
        "op": torch_function(function).name,
        "changer": f"{root}.{place}" if place else root,
        "module": f"{root}.{path}" if path else root,
        "kind": class_name(type(module)),
        "hook": printable_text(getattr(hook, "__name__", class_name(type(hook)))),
    }
    if location is None:
        return RefusalExplanation("hooked_output_changed", say("refused.hooked", **words))
    words["line"] = str(location.line)
    return RefusalExplanation(
        "hooked_output_changed", say("refused.hooked.line", **words), location
    )


def _hooks_of(module: torch.nn.Module) -> list[object]:
    """The full backward hooks of a module."""
    known = vars(module)
    if not known.get("_is_full_backward_hook", True):
        return []
    kinds = ("_backward_hooks", "_backward_pre_hooks")
    return [hook for kind in kinds for hook in (known.get(kind) or {}).values()]


def _of_unused_parameters(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """DDP's ``Parameter indices which did not receive grad for rank 0: 2 3``."""
    wrapped = next((each for each in raised.modules() if hasattr(each, "reducer")), None)
    inner = getattr(wrapped, "module", None)
    if not isinstance(inner, torch.nn.Module):
        return None
    names = [name for name, each in inner.named_parameters() if each.requires_grad]
    wanted = [int(each) for each in found[1].split()]
    if not wanted or max(wanted) >= len(names):
        return None
    known = [printable_text(names[each]) for each in wanted]
    shown = known if len(known) <= _MOST else [*known[:_MOST], "…"]
    message = say("refused.unused_parameters", names=say_list(shown), model=class_name(type(inner)))
    return RefusalExplanation("parameters_unused", message)


_MOST = 8


def _of_no_path(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``The differentiated Tensor at index 0 appears to not have been used in the graph``."""
    inputs = raised.local("grad", "inputs")
    if isinstance(inputs, torch.Tensor):
        inputs = (inputs,)
    elif isinstance(inputs, (tuple, list)):
        inputs = tuple(inputs)
    else:
        return None
    position = int(found[1] or 0)
    if position >= len(inputs) or not isinstance(inputs[position], torch.Tensor):
        return None
    name = raised.name_of(inputs[position])
    outputs = tensors_in((raised.local("grad", "outputs"),))
    result = raised.name_of(outputs[0]) if len(outputs) == 1 else ""
    if not name:
        return None
    message = say("refused.no_path", name=name, result=result or say("refused.result"))
    return RefusalExplanation("input_unused", message)


def _of_frozen_input(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``One of the differentiated Tensors does not require grad``."""
    inputs = raised.local("grad", "inputs")
    frozen = [each for each in tensors_in((inputs,)) if not requires_grad_of(each)]
    name = raised.name_of(frozen[0]) if frozen else ""
    if not name:
        return None
    return RefusalExplanation("input_without_grad", say("refused.frozen_input", name=name))


def _of_hook_result(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``hook 'clip' has changed the size of value``."""
    name = found[1]
    for frame in raised.users():
        hooks = [value for known, value in variables_of(frame) if known == name]
        location = raised.line_of_code(hooks[0]) if hooks else None
        if location is not None:
            words = {"hook": printable_text(name), "line": location.line}
            message = say(f"refused.hook_result.{found[2]}", **words)
            return RefusalExplanation("hook_result", message, location)
    return None


def _of_recomputation(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``torch.utils.checkpoint: A different number of tensors was saved``."""
    counts = re.findall(r"saved during (?:forward|recomputation): (\d+)", raised.step.message)
    if len(counts) != 2:
        return RefusalExplanation("recomputed_differently", say("refused.recomputation"))
    message = say("refused.recomputation.count", before=counts[0], after=counts[1])
    return RefusalExplanation("recomputed_differently", message)


def _of_sparse(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``Adam does not support sparse gradients, please consider SparseAdam instead``."""
    optimizer = raised.local("step", "self")
    if not isinstance(optimizer, torch.optim.Optimizer):
        return None
    is_wanted = found[1] == "dense"
    refused = [
        each
        for each in parameters_of(optimizer)
        if each.grad is not None and each.grad.is_sparse is not is_wanted
    ]
    name = raised.name_of(refused[0]) if refused else ""
    if not name:
        return None
    key = "refused.dense" if is_wanted else "refused.sparse" if found[1] else "refused.sparse.decay"
    words = {"optimizer": class_name(type(optimizer)), "name": name}
    return RefusalExplanation("sparse_refused", say(key, **words))


def _of_expanded(raised: Raised, found: re.Match[str]) -> RefusalExplanation | None:
    """``more than one element of the written-to tensor refers to a single memory location``."""
    _, args = raised.called()
    changed = args[0] if args else None
    if raised.step.pass_id is None or not isinstance(changed, torch.Tensor):
        return None
    if any(changed.stride()):
        return None
    words = {"name": raised.name_of(changed) or say("refused.argument"), "line": raised.line}
    message = say("refused.expanded", **words, count=format_count(changed.numel()))
    return RefusalExplanation("shared_gradient_changed", message)


_Explainer = Callable[[Raised, "re.Match[str]"], RefusalExplanation | None]

# Torch raises a plain RuntimeError for all of these; only the text tells them apart.
_REFUSALS: tuple[tuple[str, _Explainer], ...] = (
    (r"element (\d+) of tensors does not require grad and does not have a grad_fn", _of_no_history),
    (r"grad can be implicitly created only for scalar outputs", _of_many_outputs),
    (r"created only for real scalar outputs but got", _of_complex_output),
    (r"can't optimize a non-leaf Tensor", _of_result_in_optimizer),
    (r"optimizer got an empty parameter list", _of_empty_parameters),
    (r"Inference tensors cannot be saved for backward", _of_inference),
    (r"a (view of a )?leaf Variable that requires grad .* in-place operation", _of_leaf),
    (r"Only Tensors created explicitly by the user .* support the deepcopy protocol", _of_copy),
    (r"Output \d+ of BackwardHookFunction\w* is a view", _of_hooked_module),
    (r"indices which did not receive grad for rank \d+: ([\d ]+)", _of_unused_parameters),
    (r"ifferentiated Tensors? (?:at index (\d+) )?appears? to not have been used", _of_no_path),
    (r"hook '(\w+)' has changed the (size|type) of value", _of_hook_result),
    (r"checkpoint: (A different number of tensors|Recomputed values for)", _of_recomputation),
    (r"does not support (sparse|dense) gradients", _of_sparse),
    (r"weight_decay option is not compatible with sparse gradients()", _of_sparse),
    (r"more than one element of the written-to tensor refers to a single memory", _of_expanded),
    (r"One of the differentiated Tensors does not require grad", _of_frozen_input),
)
