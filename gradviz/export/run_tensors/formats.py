"""The formats of a file of all tensors, by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.export.run_tensors.npz import write_tensors_npz
from gradviz.export.run_tensors.safetensors import write_tensors_safetensors
from gradviz.export.run_tensors.table import ArrayTable
from gradviz.model.tensor import TensorValues

TENSOR_WRITERS: dict[str, Callable[[Path, TraceIndex, TensorValues], ArrayTable]] = {
    ".npz": write_tensors_npz,
    ".safetensors": write_tensors_safetensors,
}
