"""Message templates for calls that a type overrides with ``__torch_function__``."""

from __future__ import annotations

MESSAGES_DISPATCH = {
    "dispatch.called": "{function} is called with {inputs}.",
    "dispatch.called.empty": "{function} is called.",
    "dispatch.order": "Torch tries {types}, in this order.",
    "dispatch.handler": "{type} handles the call with {by}.",
    "dispatch.handler.itself": "{type} handles the call itself, without a registered handler.",
    "dispatch.fallback": "{type} unwraps its arguments and calls {function} again.",
    "dispatch.default": "{type} defers to torch.Tensor.",
    "dispatch.not_implemented": "{type} returns NotImplemented.",
    "dispatch.unseen": (
        "{type} handles the call; the handler is unknown because the run has an active profiler."
    ),
    "dispatch.raised": "{type} raises {error}.",
    "dispatch.raised.by": "In {by}, {type} raises {error}.",
    "dispatch.raised.unknown": "{type} raises an exception.",
    "dispatch.refused": "No type is left to try, so torch raises {error}.",
    "dispatch.result": "It returns {outputs}.",
    "dispatch.unfinished": "It did not return.",
    "dispatch.subclass": "{value}, a {subclass}",
    "where.dispatch": "the __torch_function__ call for {name}",
    "dispatch.stage": "{type}.__torch_function__ runs for {function}.",
}
