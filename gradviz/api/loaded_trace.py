"""``gradviz.load``: a trace as Python values, with its sentences and tensors."""

from __future__ import annotations

import weakref
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from gradviz.analysis.compare.item_pairs import ItemRole, items_of_step
from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.catalogue.visible_text import visible_text
from gradviz.export.steps.json_document import STEP_KINDS
from gradviz.export.steps.text import steps_text
from gradviz.model.finding import Finding
from gradviz.model.graph import Node
from gradviz.model.item import Item
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Origin, Outcome, Trace
from gradviz.store.reader import TraceReader, open_trace
from gradviz.text.narration import describe_step
from gradviz.text.titles import origin_title

if TYPE_CHECKING:
    import torch


def load(path: str | PathLike[str]) -> LoadedTrace:
    """Open a trace; nothing in it is executed.

    Args:
        path: Path of the ``.gradviz`` file.

    Returns:
        The trace. Elements of tensors are read from the file when they are asked for, so close it
        when it is no longer needed, or use it as a context manager.

    Raises:
        TraceError: If it is missing, not a trace, or damaged beyond repair.
    """
    reader = open_trace(Path(path), repair=True)
    try:
        return LoadedTrace(reader, index_reader(reader))
    except BaseException:
        reader.close()
        raise


class LoadedTrace:
    """A trace, created by ``gradviz.load``; ``print`` shows what ``gradviz steps`` prints."""

    def __init__(self, reader: TraceReader, index: TraceIndex) -> None:
        self._reader = reader
        self._index = index
        # Python 3.13 warns of a database that is open when it is collected.
        weakref.finalize(self, reader.close)
        self._steps = tuple(
            TraceStep(self, index, place) for place in range(len(index.trace.steps))
        )

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._reader.path

    @property
    def records(self) -> Trace:
        """All records of the trace as they were written."""
        return self._index.trace

    @property
    def origin(self) -> Origin:
        """What was run, and in which environment."""
        return self.records.origin

    @property
    def outcome(self) -> Outcome | None:
        """How the recording ended; None if its process died."""
        return self.records.outcome

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        """The steps of the run, in order."""
        return self._steps

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Nodes of the grad_fn graph, by id."""
        return self.records.nodes

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the recorder and the doctor's rules found."""
        return self.records.findings

    @property
    def reports(self) -> tuple[JacobianReport, ...]:
        """Results of the Jacobian checks in the trace."""
        return self.records.reports

    def tensor(self, number: int) -> TraceTensor:
        """A recorded tensor by its number, as records refer to it.

        Raises:
            KeyError: If there is no such tensor.
        """
        return TraceTensor(self._index.tensor.bare(number), self._reader)

    def close(self) -> None:
        """Close the file; elements of tensors can no longer be read."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        steps = say_count("count.step", len(self.steps))
        title = origin_title(self.origin)
        return visible_text(f"<{type(self).__name__} '{title}': {steps}, {self.path}>")

    def __str__(self) -> str:
        return "\n".join(steps_text(self._index, "node"))

    def _repr_html_(self) -> str:
        """HTML for notebooks: the page that steps."""
        from gradviz.export.page.document import notebook_html

        return notebook_html(self._index)


class TraceStep:
    """One step of a trace."""

    def __init__(self, trace: LoadedTrace, index: TraceIndex, place: int) -> None:
        self._trace = trace
        self._index = index
        self._place = place

    @property
    def record(self) -> Step:
        """The step as it was written; its class depends on the kind of step."""
        return self._index.trace.steps[self._place]

    @property
    def number(self) -> int:
        """Number in the run, from 1."""
        return self.record.number

    @property
    def kind(self) -> str:
        """Kind as in the JSON of ``gradviz steps``: ``forward``, ``node``, ``accumulate`` ..."""
        return STEP_KINDS[type(self.record)]

    @property
    def sentence(self) -> str:
        """What happened in the step, as the window says it."""
        return describe_step(self._index, self.record)

    @property
    def values(self) -> tuple[TraceValue, ...]:
        """The step's values, in the order in which the window shows them."""
        return tuple(
            TraceValue(self._trace, role, item)
            for role, item in items_of_step(self._index, self.record)
        )

    def __getitem__(self, name: str) -> TraceValue:
        """The first value of that name.

        Raises:
            KeyError: If there is none; the message lists the names.
        """
        for each in self.values:
            if each.name == name:
                return each
        names = say_list(list(dict.fromkeys(each.name for each in self.values)))
        raise KeyError(say("load.no_value", step=self.number, name=name, names=names))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.number}, {self.sentence!r})"


class TraceValue:
    """A named value of a step: a tensor, None, or another object as text.

    Attributes:
        role: Role in the step, such as ``input``, ``saved``, ``incoming`` or ``returned``.
        name: Name as in the source, such as ``weight`` or ``grad_output``.
        tensor: The tensor; None for any other value.
        text: ``repr`` of an object, cut to 200 characters; ``None`` for None; empty for a tensor.
    """

    def __init__(self, trace: LoadedTrace, role: ItemRole, item: Item) -> None:
        self.role = role
        self.name = item.name
        self.tensor = None if item.tensor is None else trace.tensor(item.tensor)
        self.text = "None" if item.kind == "none" else item.text

    def __repr__(self) -> str:
        value = visible_text(self.text) if self.tensor is None else repr(self.tensor)
        return f"{type(self).__name__}({self.role!r}, {self.name!r}, {value})"


class TraceTensor:
    """A tensor as it was at one moment of the run.

    Attributes:
        record: Its metadata. It has statistics if the elements are not all in the trace.
    """

    def __init__(self, record: TensorRecord, reader: TraceReader) -> None:
        self.record = record
        self._reader = reader

    @property
    def dtype(self) -> str:
        """Torch's dtype name without ``torch.``."""
        return self.record.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the whole tensor."""
        return self.record.shape

    @property
    def is_whole(self) -> bool:
        """Whether all elements were stored."""
        return self.record.content == "whole"

    def numpy(self) -> npt.NDArray[Any]:
        """All elements, bit for bit, as a new array of `shape`.

        Types that NumPy lacks (bfloat16, float8) are converted to float32, which is exact.

        Raises:
            ValueError: If not all elements were stored; the message says why.
            TraceError: If they are damaged in the file.
        """
        return np.array(self._whole().array())

    def torch(self) -> torch.Tensor:
        """All elements, bit for bit, as a new tensor on the CPU with the recorded dtype.

        Raises:
            ValueError: If not all elements were stored; the message says why.
        """
        import torch

        value = self._whole()
        dtype: torch.dtype = getattr(torch, value.dtype)
        if not value.data:
            return torch.empty(value.shape, dtype=dtype)
        return torch.frombuffer(bytearray(value.data), dtype=dtype).reshape(value.shape)

    def sample(self) -> npt.NDArray[Any]:
        """The stored elements: all of them, or every few elements of a large tensor.

        Returns:
            An array of ``record.kept_shape``. Its element ``[i, j]`` is element
            ``[i * step0, j * step1]`` of the tensor, with the steps ``record.kept_steps``.

        Raises:
            ValueError: If no elements were stored.
        """
        return np.array(self._stored().array())

    def _whole(self) -> TensorValue:
        if not self.is_whole:
            raise ValueError(say("load.not_whole", reason=self.record.note or self.record.content))
        return self._stored()

    def _stored(self) -> TensorValue:
        value = self._reader.intact_value(self.record.id)
        if value is None:
            raise ValueError(say("load.not_stored", reason=self.record.note or self.record.content))
        return value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype!r}, {self.shape})"
