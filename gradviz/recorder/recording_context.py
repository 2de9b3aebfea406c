"""What all recorders of one recording share.

Which calls of a run belong to the module or functions that a recording is limited to.
"""

from __future__ import annotations

from types import CodeType, FrameType
from typing import TYPE_CHECKING

from gradviz.model.inside import records_ops
from gradviz.recorder.autograd_graph import AutogradGraphRecorder
from gradviz.recorder.backward.open_passes import OpenPasses
from gradviz.recorder.console_capture import ConsoleCapture
from gradviz.recorder.finding_reporter import FindingReporter
from gradviz.recorder.inside.op_dispatch_mode import OpDispatchMode
from gradviz.recorder.inside.op_recorder import OpRecorder
from gradviz.recorder.inside.python_conversions import PythonConversionRecorder
from gradviz.recorder.inside.stage_recorder import StageRecorder
from gradviz.recorder.listener import RecordingListener
from gradviz.recorder.log import RecordLog
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.patching.force_eager import CompiledCodeNotice
from gradviz.recorder.sources import SourceRecorder, current_frame
from gradviz.recorder.tensor_names import TensorNames
from gradviz.recorder.tensors.numpy_arrays import ArrayRecorder
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder
from gradviz.recorder.thread_state import ThreadStates
from gradviz.recorder.torch_call import CallSiteFinder
from gradviz.recorder.training.modules import ModuleCallRecorder
from gradviz.store.writer import TraceWriter

if TYPE_CHECKING:
    from gradviz.recorder.what_if import WhatIfChanges


class CallFilter:
    """Accepts calls made inside of one module, or of functions with one qualified name."""

    def __init__(self, path: str, thread_states: ThreadStates) -> None:
        """Prepare the filter.

        Args:
            path: Path of a module relative to the module called first, such as ``encoder.0``, or
                class name of that one; or name of a function with or without its module, or of
                what contains it. Everything below the path counts too. Empty for all calls.
            thread_states: The modules and steps that are open in each thread.
        """
        self._path = path
        self._thread_states = thread_states
        self._known: dict[CodeType, bool] = {}

    def accepts_call(self) -> bool:
        """Whether the call that the calling thread is about to make belongs to the recording."""
        if not self._path:
            return True
        state = self._thread_states.current()
        # What a recorded call or node does belongs to it.
        paths = [each.path for each in self._thread_states.modules()]
        if state.steps or any(map(self._is_below, paths)):
            return True
        frame: FrameType | None = current_frame(1)
        while frame is not None and not self._is_named(frame):
            frame = frame.f_back
        return frame is not None

    def _is_named(self, frame: FrameType) -> bool:
        code = frame.f_code
        known = self._known.get(code)
        if known is None:
            name = code.co_qualname
            whole = f"{frame.f_globals.get('__name__', '')}.{name}"
            is_function = not name.startswith("<")
            known = is_function and (self._is_below(name) or self._is_below(whole))
            self._known[code] = known
        return known

    def _is_below(self, path: str) -> bool:
        return path == self._path or path.startswith(f"{self._path}.")


class RecordingContext:
    """What one recording knows of the run, and where it writes; torch is not touched.

    Attributes:
        options: What to record.
        listener: Counts passes, and may end the recording early.
        thread_states: What runs in each thread.
        log: Where all records go; receiver of errors that are raised while recording.
        console: What the run prints.
        tensors: Numbers and elements of tensors.
        names: Names of tensors in the source.
        sources: Files and lines of the run.
        sites: Calls in these lines.
        modules: Calls of modules.
        graph: Nodes and their edges.
        stages: What runs inside steps.
        arrays: NumPy's arrays.
        ops: The mode that sees ops; None if they are not recorded.
        conversions: Calls that autograd does not see; None if ops are not recorded.
        what_if: Changes to apply to the run; None if there are none.
        reporter: Findings on the recorded code.
        compiled_code: Reports code of ``torch.compile``.
        open_passes: The backward passes that run.
    """

    def __init__(
        self,
        writer: TraceWriter,
        options: RecordingOptions | None = None,
        listener: RecordingListener | None = None,
    ) -> None:
        """Prepare what recorders share.

        Args:
            writer: Receives the records.
            options: What to record; the defaults if omitted.
            listener: Hears of passes; none if omitted.
        """
        self.options = options = options or RecordingOptions()
        self.listener = listener or RecordingListener()
        self.thread_states = threads = ThreadStates()
        accepts = CallFilter(options.scope.only, threads).accepts_call
        self.log = log = RecordLog(writer, strict=options.strict, accepts_call=accepts)
        self.console = ConsoleCapture(log, options, threads.step)
        self.tensors = tensors = TensorRecorder(log, options)
        self.names = names = TensorNames()
        self.sources = sources = SourceRecorder(log, keeps_text=options.scope.source)
        self.sites = CallSiteFinder(sources)
        self.modules = modules = ModuleCallRecorder(log, names, threads)
        self.graph = AutogradGraphRecorder(log, options, tensors, names, threads, modules)
        self.stages = stages = StageRecorder(log, threads, options.level)
        self.arrays = arrays = ArrayRecorder(tensors)
        has_ops = records_ops(options.level)
        op_recorder = OpRecorder(log, tensors, arrays, sources, stages)
        self.ops = OpDispatchMode(log, op_recorder) if has_ops else None
        self.conversions = PythonConversionRecorder(log, op_recorder) if has_ops else None
        self.what_if: WhatIfChanges | None = None
        if options.changes:
            from gradviz.recorder.what_if import WhatIfChanges

            self.what_if = WhatIfChanges(log, tensors, options.changes)
        self.reporter = FindingReporter(log, sources)
        self.compiled_code = CompiledCodeNotice(log, sources)
        self.open_passes = OpenPasses(threads)


class Recorder:
    """A part of a recording.

    Attributes:
        error_boundary: Receiver of errors that are raised while recording.
    """

    def __init__(self, context: RecordingContext) -> None:
        # Bound once, because what a call of torch costs is counted in attributes.
        self.error_boundary = self._log = context.log
        self._tensors = context.tensors
        self._graph = context.graph
        self._names = context.names
        self._sources = context.sources
        self._thread_states = context.thread_states
        self._stages = context.stages
