"""Titles of search results, and the reasons for each match in words."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import module_path, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.search.hits import MatchCause, SearchHit
from gradviz.analysis.search.search_index import SearchIndex, node_kind_text
from gradviz.analysis.search.tensor_uses import TensorUses
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.model.step import ForwardStep
from gradviz.text.narration import describe_step
from gradviz.text.phrases import record_shape_text


def hit_title(index: TraceIndex, hit: SearchHit) -> str:
    """The name of a node or of its leaf; for a step without a node, its sentence."""
    if hit.node is not None:
        node = index.node[hit.node]
        return node.variable_name or node.name.removeprefix("torch::autograd::")
    step = step_at(index, hit.step)
    if isinstance(step, ForwardStep):
        return say("search.no_node", op=step.op)
    return "" if step is None else describe_step(index, step)


def hit_reason(index: TraceIndex, search_index: SearchIndex, hit: SearchHit) -> str:
    """Text such as ``incoming grad_output has 3 NaN`` or ``in module layers.3``."""
    # Leave out what the title and the icon already show, unless there is no other reason.
    telling = [cause for cause in hit.causes if not _is_plain(cause)]
    reasons = (_reason(index, search_index, hit, cause) for cause in telling or hit.causes)
    return " · ".join(dict.fromkeys(reason for reason in reasons if reason))


def _is_plain(cause: MatchCause) -> bool:
    return cause.why == "kind" or (cause.why == "text" and cause.field == "name")


def _reason(index: TraceIndex, search_index: SearchIndex, hit: SearchHit, cause: MatchCause) -> str:
    match cause.why:
        case "text" | "kind":
            return _about_text(index, hit, cause)
        case "problem":
            return cause.text
        case "step":
            return say("search.step", number=format_count(cause.step))
        case _:
            return (
                ""
                if cause.use is None
                else _about_tensor(index, search_index.uses, cause.use, cause)
            )


def _about_text(index: TraceIndex, hit: SearchHit, cause: MatchCause) -> str:
    if cause.field == "problem":
        return cause.text
    if hit.node is None:
        return ""
    kind = say(f"search.kind.{node_kind_text(index.node[hit.node])}")
    path = module_path(index, hit.node)
    match cause.field:
        case "module":
            return say("search.module", path=cause.text)
        case "class":
            return say("search.class", name=cause.text, path=path)
        case "function":
            name = cause.text.rpartition(".")[0]
            return say("search.function", kind=kind, name=name)
        case "op":
            return say("search.op", kind=kind, name=cause.text)
        case _:
            return say("search.name.module" if path else "search.name", kind=kind, path=path)


def _about_tensor(index: TraceIndex, uses: TensorUses, use: int, cause: MatchCause) -> str:
    what = say(f"search.use.{uses.roles[use]}", name=uses.items[use].name)
    record = index.tensor[int(uses.tensors[use])]
    values = {"dtype": record.dtype, "device": record.device, "shape": record_shape_text(record)}
    if cause.why == "value" and cause.found is not None:
        count = cause.found.nans if cause.text == "nan" else cause.found.infinities
        return say(f"search.{cause.text}", what=what, count=format_count(count))
    if cause.why in values:
        return say("search.is", what=what, value=values[cause.why])
    return say("search.tensor", what=what, shape=values["shape"])
