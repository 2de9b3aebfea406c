"""``gradviz.graph``: a drawing of a ``grad_fn`` graph that already exists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.api.loaded_trace import LoadedTrace
from gradviz.api.trace_files import TemporaryFolder, open_window
from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.checks.nested_arguments import tensors_inside
from gradviz.drawing.appearance.palette import Paint, PaletteTheme, theme_paint
from gradviz.drawing.content.plain_text import label_text
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.errors import ExportError
from gradviz.export.graph.dot import graph_dot
from gradviz.export.graph.svg import graph_figures, laid_out_graph
from gradviz.export.graph.svg_figure import SvgStyle
from gradviz.export.graph.svg_text import with_outlined_text
from gradviz.export.html_fragment import HtmlFragment
from gradviz.host.svg_rendering import PictureError, write_pdf, write_png
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.recorder.compat import node_name
from gradviz.recorder.existing_graph import record_graph
from gradviz.recorder.frame_variables import variables_of
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.run_origin import make_origin
from gradviz.recorder.sources import current_frame
from gradviz.recorder.tensors.tensor_compat import readable_grad_fn
from gradviz.store.finalize import finalize_trace, save_copy
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter


def graph(
    outputs: Any,
    *,
    params: torch.nn.Module | Mapping[str, torch.Tensor] | None = None,
    values: bool = True,
    title: str = "",
) -> AutogradGraph:
    """Draw the ``grad_fn`` graph of a tensor that has already been computed.

    Nothing runs, and the graph stays as it is: ``backward`` works afterwards. What only a run
    shows, such as gradients, intermediate values and source lines, is in a recording by
    ``gradviz.record`` instead.

    Args:
        outputs: A tensor of any shape with a ``grad_fn``, such as a loss; or several of them in a
            tuple, list, dict or dataclass. Those without a ``grad_fn`` are left out.
        params: Names of leaves: a module, or a dict such as ``dict(model.named_parameters())``. If
            omitted, the modules that have the leaves are searched for. Other leaves have the names
            of the caller's variables.
        values: Whether elements and statistics of leaves and saved tensors are stored.
        title: Title for people; made from the caller's names of ``outputs`` if omitted.

    Returns:
        The graph, which a notebook displays. It has `AutogradGraph.save` and `AutogradGraph.show`.

    Raises:
        TypeError: If ``params`` is neither a module nor a dict.
        ValueError: If no output has a ``grad_fn``.

    Example:
        >>> import torch, gradviz
        >>> model = torch.nn.Linear(3, 1)
        >>> loss = model(torch.ones(2, 3)).sum()
        >>> gradviz.graph(loss)
        <AutogradGraph 'Graph of loss', 5 nodes>
        >>> [node.variable_name for node in gradviz.graph(loss).trace.nodes if node.variable]
        ['model.bias', 'model.weight']
    """
    if not (params is None or isinstance(params, torch.nn.Module | Mapping)):
        raise TypeError(say("graph.params", type=type(params).__name__))
    tensors = [each for _, each in tensors_inside("output", outputs)]
    nodes = [node for node in map(readable_grad_fn, tensors) if node is not None]
    if not nodes:
        raise ValueError(say("graph.no_graph"))
    frame = current_frame(1)
    title = title or say("graph.title", names=say_list(_names(tensors, frame)))
    found = AutogradGraph(title)
    options = RecordingOptions(scope=RecordingScope(values=values))
    origin = make_origin(title=title, subject=title, device=str(tensors[0].device))
    with closing(TraceWriter(found.path, origin)) as writer:
        record_graph(writer, list(dict.fromkeys(nodes)), options, params, frame)
    finalize_trace(found.path)
    return found


class AutogradGraph:
    """A ``grad_fn`` graph, created by ``gradviz.graph``; a notebook displays its drawing."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._folder = TemporaryFolder(self)

    @property
    def path(self) -> Path:
        """Path of the graph's trace, which is removed with this object unless it was shown."""
        return self._folder.path / "graph.gradviz"

    @property
    def trace(self) -> LoadedTrace:
        """Nodes, edges and saved values as a trace without steps."""
        return self._opened[0]

    def save(self, path: str | PathLike[str], *, theme: PaletteTheme = "light") -> Path:
        """Write the drawing, or the trace, to a file and return its path.

        Args:
            path: The file; its ending selects the format: ``.svg``, ``.png``, ``.pdf``, ``.dot`` or
                ``.gradviz``. An existing one is replaced.
            theme: ``light`` or ``dark``; ``.dot`` has no colors.

        Raises:
            ValueError: If the file name has another ending, or the graph is too large to be drawn.
            OSError: If it cannot be drawn or written.
        """
        path = Path(path)
        writers: dict[str, Callable[[], object]] = {
            ".svg": lambda: path.write_text(
                with_outlined_text(self._svg(theme_paint(theme))), encoding="utf-8"
            ),
            ".png": lambda: write_png(self._svg(theme_paint(theme)), path),
            ".pdf": lambda: write_pdf([self._svg(theme_paint(theme))], path, self._title),
            ".dot": lambda: path.write_text(graph_dot(self._opened[1]), encoding="utf-8"),
            ".gradviz": lambda: save_copy(self.path, path),
        }
        write = writers.get(path.suffix.lower())
        if write is None:
            raise ValueError(say("graph.suffix", path=path, suffixes=say_list([*writers], "or")))
        try:
            write()
        except ExportError as error:
            raise ValueError(str(error)) from None
        except (LayoutError, PictureError) as error:
            raise OSError(str(error)) from None
        return path

    def show(self) -> None:
        """Open the graph in a window, which is a process of its own; returns at once.

        Raises:
            ModuleNotFoundError: If Qt or another package of the window is not installed.
        """
        open_window(self.path, self._folder)

    def __repr__(self) -> str:
        nodes = say_count("count.node", len(self.trace.nodes))
        return f"<{type(self).__name__} {label_text(self._title)!r}, {nodes}>"

    def _repr_html_(self) -> str:
        """HTML for notebooks: the drawing in the colors of the notebook's theme."""
        fragment = HtmlFragment()
        try:
            inside = fragment.picture(self._svg, self._title)
        except (ExportError, LayoutError) as error:
            inside = fragment.title(self._title) + fragment.muted(str(error))
        return fragment.document(inside)

    @cached_property
    def _opened(self) -> tuple[LoadedTrace, TraceIndex]:
        reader = open_trace(self.path)
        index = index_reader(reader)
        # It closes the file in the end.
        return LoadedTrace(reader, index), index

    @cached_property
    def _drawing(self) -> GraphDisplay:
        return laid_out_graph(self._opened[1])

    def _svg(self, paint: Paint) -> str:
        return next(graph_figures(self._drawing, [TracePosition(step=0)], SvgStyle(paint=paint)))


def _names(tensors: list[torch.Tensor], frame: FrameType | None) -> list[str]:
    """The caller's variables that hold the tensors; for others, the names of their nodes."""
    names = {id(value): name for name, value in reversed(list(variables_of(frame)))}
    return [
        names.get(id(each)) or node_name(node)
        for each in tensors
        if (node := readable_grad_fn(each)) is not None
    ]
