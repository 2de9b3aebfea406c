"""A call of a torch function by the run, as all recorders see it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from gradviz.recorder import compat
from gradviz.recorder.call_site_names import (
    CallSite,
    CallSiteFinder,
    argument_names,
    parameter_names,
)


class TorchCall(Struct, eq=False):
    """A call of a torch function.

    Attributes:
        function: The function.
        args: Its positional arguments; for a method, the receiver comes first.
        kwargs: Its keyword arguments.
        since: Sequence number before the call, which the first node gets that it creates.
        started: Start in ns since the recording began.
        result: What it has returned; None before.
        made: Sequence and number of the nodes that were recorded before it returned: a custom
            Function that it calls, as an op of a library may, records those that lead to it.
        earlier: Numbers of the arguments, by ``id()``, that were recorded before the call because
            it may write to them.
        site: Where the source makes it, if that is not the user's innermost line, or once it was
            searched for.
    """

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    since: int
    started: int = 0
    result: Any = None
    made: list[tuple[int, int]] = field(default_factory=list)
    earlier: dict[int, int] = field(default_factory=dict)
    site: CallSite | None = None

    @property
    def name(self) -> str:
        """Name of the function, as `name_of` gives it."""
        return name_of(self.function)

    @property
    def values(self) -> tuple[Any, ...]:
        """All arguments."""
        return (*self.args, *self.kwargs.values()) if self.kwargs else self.args

    def find_site(self, sites: CallSiteFinder) -> CallSite:
        """Where the source makes it. Call with the log's lock held."""
        if self.site is None:
            self.site = sites.find(self.function, self.args)
        return self.site

    def named_values(self, site: CallSite) -> list[tuple[str, Any]]:
        """Names and values of the arguments; see `argument_names`."""
        parameters = parameter_names(self.function, len(self.args))
        return argument_names(self.args, self.kwargs, site.written, parameters)


def name_of(function: Any) -> str:
    """Name of a torch function: ``mul`` for ``Tensor.__mul__``, ``library.op`` for a library's."""
    if isinstance(function, compat.LIBRARY_OPS):
        return compat.library_op_name(function)
    name: str = getattr(function, "__name__", type(function).__name__)
    if name in ("__get__", "__set__"):
        return str(getattr(function.__self__, "__name__", name))
    if name.startswith("__") and name.endswith("__"):
        return name.strip("_")
    return name
