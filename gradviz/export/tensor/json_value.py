"""A tensor in JSON, the same in every document that gradviz prints."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.catalogue.messages import say
from gradviz.model.codec import as_object, float_to_json
from gradviz.model.tensor import TensorRecord, TensorValue


def tensor_json(name: str, record: TensorRecord, value: TensorValue | None) -> dict[str, Any]:
    """Build ``{name, dtype, shape, device, values | preview, statistics, ...}``.

    ``values`` nests like the shape; it is empty for a tensor without elements. If the trace keeps
    only a sample, ``preview`` replaces it, with the stride along each dimension. ``note`` says why
    elements are missing. NaN and infinities are the strings ``NaN``, ``Infinity`` and
    ``-Infinity``; a complex element is ``[real, imaginary]``. ``subclass`` is there if the tensor's
    class is a user's subclass.
    """
    data: dict[str, Any] = {
        "name": name,
        "dtype": record.dtype,
        "shape": list(record.shape),
        "device": record.device,
    }
    if record.subclass:
        data["subclass"] = record.subclass
    if value is not None and record.content == "whole":
        data["values"] = nested_elements(value.array())
    elif value is not None:
        data["preview"] = {
            "steps": list(record.kept_steps),
            "values": nested_elements(value.array()),
        }
    if record.note:
        data["note"] = record.note
    elif value is None and record.content in ("whole", "preview"):
        data["note"] = say("json.left_out")
    data["statistics"] = None if record.statistics is None else as_object(record.statistics)
    return data


def nested_elements(array: npt.NDArray[Any]) -> Any:
    """Return the elements of an array as nested lists, as in `tensor_json`."""
    if not array.size:
        # Nested like its shape, an array of shape [3e8, 0] would be 300 million empty lists.
        return []
    if array.dtype.kind == "c":
        parts = np.stack([array.real, array.imag], axis=-1)
        return nested_elements(parts)
    if array.dtype.kind != "f" or bool(np.isfinite(array).all()):
        return array.tolist()
    return _without_non_finite(array.tolist())


def _without_non_finite(values: Any) -> Any:
    if isinstance(values, list):
        return [_without_non_finite(each) for each in values]
    return float_to_json(values)
