"""Rules on differentiating twice."""

from __future__ import annotations

from gradviz.catalogue.rules.second_order.missing_once_differentiable import (
    MISSING_ONCE_DIFFERENTIABLE,
)
from gradviz.catalogue.rules.second_order.second_order_cut import SECOND_ORDER_CUT
from gradviz.catalogue.rules.second_order.useless_once_differentiable import (
    USELESS_ONCE_DIFFERENTIABLE,
)

SECOND_ORDER = (
    MISSING_ONCE_DIFFERENTIABLE,
    USELESS_ONCE_DIFFERENTIABLE,
    SECOND_ORDER_CUT,
)
