"""When a recording ends before the run does."""

import operator
import re
from typing import Literal

from msgspec import Struct

from gradviz.model.codec import Real

_LOSS = r"loss\s*(<=|>=|<|>)\s*([-+]?[\w.]+(?:[eE][-+]?\d+)?)"
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class StopCondition(Struct, frozen=True, kw_only=True):
    """A condition on the values of a run.

    Attributes:
        kind: ``nan`` or ``inf``: an element of a recorded tensor is NaN or infinite. ``loss``: the
            number at which a backward pass starts compares to the limit.
        comparison: ``<``, ``<=``, ``>`` or ``>=``; empty for the other kinds.
        limit: What the loss is compared to.
    """

    kind: Literal["nan", "inf", "loss"]
    comparison: str = ""
    limit: Real = 0.0

    def holds_for(self, loss: float) -> bool:
        """Whether a loss fulfills the condition; NaN fulfills none."""
        return self.kind == "loss" and _COMPARE[self.comparison](loss, self.limit)


def parse_stop_condition(text: str) -> StopCondition:
    """Read ``nan``, ``inf`` or a comparison such as ``loss > 10``.

    Raises:
        ValueError: If the text has another form.
    """
    words = text.strip()
    if words == "nan":
        return StopCondition(kind="nan")
    if words == "inf":
        return StopCondition(kind="inf")
    found = re.fullmatch(_LOSS, words)
    if found is None:
        raise ValueError(text)
    limit = float(found[2])
    if limit != limit:
        raise ValueError(text)
    return StopCondition(kind="loss", comparison=found[1], limit=limit)
