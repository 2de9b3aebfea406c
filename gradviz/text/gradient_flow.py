"""Sentences about the gradients of a pass over the depth of a model."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.analysis.training.gradient_flow import LayerFlow
from gradviz.analysis.training.training_curves import starts_at_scaled_loss
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.values import counted_list


def flow_words(index: TraceIndex, span: PassSpan, layers: Sequence[LayerFlow]) -> str:
    """The range of the norms of a pass, and which layers get only zeros; may be empty."""
    known = [each for each in layers if each.norm == each.norm]
    if len(known) < 2:
        return ""
    low, high = (pick(known, key=lambda each: each.norm) for pick in (min, max))
    told = say(
        "flow.told.pass" if index.numbers_passes else "flow.told",
        number=span.name,
        low=number_text(low.norm, 3),
        low_layer=low.name,
        high=number_text(high.norm, 3),
        high_layer=high.name,
    )
    dead = [each.name for each in layers if each.zeros == 1]
    more = [say("flow.scaled")] if starts_at_scaled_loss(index, span) else []
    if dead:
        more.append(say("flow.dead", names=counted_list(dead)))
    return join_sentences([told, *more])
