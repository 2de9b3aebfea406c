"""Runs scenes in this process as the child would."""

from __future__ import annotations

import ast
import importlib
import math
from typing import Any

import torch
from torch.autograd import Function

from gradviz.gallery.registry import SCENES, Scene
from gradviz.model.inputs import InputSpec


def run_scene(scene: Scene) -> Any:
    """Runs it and starts backward; returns outputs, gradients, and how it failed where it does."""
    thing = getattr(importlib.import_module(scene.module), scene.callable_name)
    function = thing.apply if hasattr(thing, "apply") else thing
    arguments = [made(spec) for spec in scene.inputs]
    results: tuple[Any, ...] = ()
    failed = ""
    try:
        result = function(*arguments)
        results = result if isinstance(result, tuple) else (result,)
        _start(scene, results)
    except RuntimeError as error:
        if not scene.fails:
            raise
        failed = f"{type(error).__name__}: {error}"
    assert bool(failed) == scene.fails
    return results, [a.grad for a in arguments if isinstance(a, torch.Tensor)], failed


def _start(scene: Scene, results: tuple[Any, ...]) -> None:
    if scene.start.gradient == "nothing":
        return
    chosen = results[scene.start.output]
    if scene.start.gradient == "sum":
        chosen.sum().backward()
    else:
        chosen.backward(torch.ones_like(chosen))


def made(spec: InputSpec) -> Any:
    """The argument; random ones differ from the child's."""
    if spec.kind != "tensor":
        return ast.literal_eval(spec.text) if spec.kind == "object" else None
    dtype = getattr(torch, spec.dtype)
    if spec.fill == "values":
        tensor = torch.tensor(spec.values, dtype=dtype).view(spec.shape)
    else:
        tensor = torch.arange(math.prod(spec.shape), dtype=dtype).view(spec.shape) / 7
    return tensor.requires_grad_(spec.requires_grad)


def functions_of(scene: Scene) -> list[type[Function]]:
    """The Functions that its module defines."""
    found = vars(importlib.import_module(scene.module)).values()
    return [
        each
        for each in found
        if isinstance(each, type) and issubclass(each, Function) and each.__module__ == scene.module
    ]


_WITHOUT = ("my-own-layer-torch", "builtin-instead-torch")
"""These run torch's own in a module that has a Function too."""

WITH_FUNCTION = [each for each in SCENES if functions_of(each) and each.id not in _WITHOUT]
"""Scenes in which a Function is called."""
