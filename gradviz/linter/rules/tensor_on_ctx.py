"""A tensor is stored as an attribute of the context."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.saved_values import SavedValues
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each attribute of the context that is certainly given a tensor."""
    method = function.saving
    if method is None:
        return
    for line, name in SavedValues(function=function, method=method).attributes():
        # Torch refuses to assign this one, which is another rule.
        if name != "saved_tensors":
            yield Violation(method=method, line=line, variant="", values={"name": name})
