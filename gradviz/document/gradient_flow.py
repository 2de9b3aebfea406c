"""The gradients of a pass over the depth of a model as a document, with a row for each layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from gradviz.analysis.training.gradient_flow import LayerFlow
from gradviz.catalogue.language import percent_text
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.document.document import Document, Field, Row

_LEAST_DECADES = 3.0
"""Least range of the bars, so that norms of one size have bars of one length."""


def flow_document(layers: Sequence[LayerFlow]) -> Document:
    """List layers by depth; a row's key is the first step that adds to a gradient of its layer.

    The bars of norms are logarithmic, those of zeros linear.
    """
    norms = [each.norm for each in layers if each.norm > 0]
    high = max(norms, default=1.0)
    decades = max(_LEAST_DECADES, 1.25 * math.log10(high / min(norms, default=high)))

    def share(norm: float) -> float | None:
        return 1 + math.log10(norm / high) / decades if norm > 0 else None

    rows = {each.step: _row(each, share(each.norm)) for each in layers}
    titles = (say("flow.layer"), say("flow.norm"), say("flow.zeros"))
    return Document(titles=titles, keys=tuple(rows), row=lambda key: rows[cast("int", key)])


def _row(layer: LayerFlow, share: float | None) -> Row:
    norm, zeros = say("flow.unknown"), ""
    if not math.isnan(layer.norm):
        norm = number_text(layer.norm)
    if not math.isnan(layer.zeros):
        zeros = percent_text(number_text(100 * layer.zeros, 3))
    return Row(
        fields=(
            Field(text=layer.name),
            Field(text=norm, is_number=True, share=share),
            Field(text=zeros, is_number=True, share=layer.zeros if layer.zeros > 0 else None),
        )
    )
