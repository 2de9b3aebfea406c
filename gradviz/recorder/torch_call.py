"""A call of a torch function by the run, as all recorders see it."""

from __future__ import annotations

from types import FrameType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from gradviz.recorder.call_site_names import (
    CallSite,
    WrittenNames,
    argument_names,
    hides_operand_order,
    is_rerun,
    parameter_names,
    read_written_names,
)
from gradviz.recorder.source_expressions import expression_at
from gradviz.recorder.sources import SourceRecorder, find_caller
from gradviz.recorder.torch_functions import TorchFunction


class TorchCall(Struct, eq=False):
    """A call of a torch function.

    Attributes:
        known: What is known of the function.
        args: Its positional arguments; for a method, the receiver comes first.
        kwargs: Its keyword arguments.
        since: Sequence number before the call, which the first node gets that it creates.
        frame: Where to begin the search for the line that makes it; None to begin at the recorder.
        started: Start in ns since the recording began.
        result: What it has returned; None before.
        made: Sequence and number of the nodes that were recorded before it returned: a custom
            Function that it calls, as an op of a library may, records those that lead to it.
        earlier: Numbers of the arguments, by ``id()``, that were recorded before the call because
            it may write to them.
        site: Where the source makes it, if that is not the user's innermost line, or once it was
            searched for.
    """

    known: TorchFunction
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    since: int
    frame: FrameType | None = None
    started: int = 0
    result: Any = None
    made: list[tuple[int, int]] = field(default_factory=list)
    earlier: dict[int, int] = field(default_factory=dict)
    site: CallSite | None = None

    @property
    def function(self) -> Any:
        """The function, or what stands for it in `TorchFunction`."""
        return self.known.function

    @property
    def name(self) -> str:
        """Name of the function, as in `TorchFunction`."""
        return self.known.name

    @property
    def values(self) -> tuple[Any, ...]:
        """All arguments."""
        return (*self.args, *self.kwargs.values()) if self.kwargs else self.args

    def find_site(self, sites: CallSiteFinder) -> CallSite:
        """Where the source makes it. Call with the log's lock held."""
        if self.site is None:
            self.site = sites.find(self)
        return self.site

    def named_values(self, site: CallSite) -> list[tuple[str, Any]]:
        """Names and values of the arguments; see `argument_names`."""
        if site.names is not None:
            return list(zip(site.names, self.values, strict=True))
        parameters = parameter_names(self.function, len(self.args))
        return argument_names(self.args, self.kwargs, site.written, parameters)


class CallSiteFinder:
    """Finds the call that is being recorded, and reads each position in the source only once.

    Call with the log's lock held.
    """

    def __init__(self, sources: SourceRecorder) -> None:
        self._sources = sources
        self._known: dict[tuple[Any, ...], CallSite] = {}
        self._adopted = 0

    def find(self, call: TorchCall) -> CallSite:
        """Find the line of the source that makes a call, and what it calls the arguments."""
        frame, is_direct = find_caller(call.function, call.frame)
        if frame is None:
            return CallSite(WrittenNames(), None)
        # To keep one of the user's would prolong its life.
        find = self._find_known if call.known.permanent else self._read
        site = find(call, frame, is_direct=is_direct)
        return replace(site, rerun=True) if is_rerun(frame) else site

    def _find_known(self, call: TorchCall, frame: FrameType, *, is_direct: bool) -> CallSite:
        if self._adopted != len(self._sources.own) or len(self._known) > _MOST_SITES:
            # The locations in a file that was a library's have changed.
            self._known.clear()
            self._adopted = len(self._sources.own)
        # By `id`, because the hash of a code object depends on its whole content, and that of a
        # class may be the user's.
        kinds, code, function = tuple(map(type, call.values)), frame.f_code, call.known.function
        key: tuple[Any, ...]
        key = (id(code), frame.f_lasti, function, is_direct, *map(id, kinds), *call.kwargs)
        site = self._known.get(key)
        if site is not None and site.depends:
            key = (*key, read_written_names(function, frame, call.args).arguments)
            site = self._known.get(key)
        if site is None:
            site = self._known[key] = self._read(call, frame, is_direct=is_direct)
            site.held = (code, *kinds)
        return site

    def _read(self, call: TorchCall, frame: FrameType, *, is_direct: bool) -> CallSite:
        function, args = call.function, call.args
        written = read_written_names(function, frame, args) if is_direct else WrittenNames()
        site = CallSite(written, self._sources.at(frame))
        if not [each for each in call.values if isinstance(each, list | tuple)]:
            site.names = tuple([name for name, _ in call.named_values(site)])
        if is_direct and hides_operand_order(function, args):
            site.depends = expression_at(frame.f_code, frame.f_lasti).form == "operator"
        return site


_MOST_SITES = 10_000
