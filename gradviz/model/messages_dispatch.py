"""The sentences of calls that types override by ``__torch_function__``."""

from __future__ import annotations

MESSAGES_DISPATCH = {
    "dispatch.called": "{function} is called with {inputs}.",
    "dispatch.called.empty": "{function} is called.",
    "dispatch.order": "Torch asks {types}, in this order.",
    "dispatch.handler": "{type} answers by its handler {by}.",
    "dispatch.handler.itself": "{type} answers by itself, without a handler.",
    "dispatch.fallback": "{type} unwraps what it was given and calls {function} again.",
    "dispatch.default": "{type} leaves the answer to torch.Tensor.",
    "dispatch.not_implemented": "{type} answers NotImplemented.",
    "dispatch.unseen": (
        "{type} answers; by which handler is not known, as a profiler of the run is at work."
    ),
    "dispatch.raised": "{type} raises {error}.",
    "dispatch.raised.by": "In {by}, {type} raises {error}.",
    "dispatch.raised.unknown": "{type} raises.",
    "dispatch.refused": "Nobody is left to ask, so torch raises {error}.",
    "dispatch.result": "It returns {outputs}.",
    "dispatch.unfinished": "It did not return.",
    "dispatch.subclass": "{value}, a {subclass}",
    "where.dispatch": "the answer to {name}",
    "dispatch.stage": "{type}.__torch_function__ runs for {function}.",
}
