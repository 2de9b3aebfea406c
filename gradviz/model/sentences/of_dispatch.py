"""The sentence of a call that a type has overridden by ``__torch_function__``."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.messages import say, say_list
from gradviz.model.phrases import value_phrase
from gradviz.model.step import DispatchStep


def dispatch_sentence(index: Index, step: DispatchStep) -> str:
    """Says which function was called, which types were asked, who answered, and what."""
    inputs = say_list([value_phrase(index, item) for item in step.inputs])
    called = say("dispatch.called", function=step.function, inputs=inputs)
    asked = [
        say(f"dispatch.{answer.how}", type=answer.type, by=answer.by or answer.type)
        for answer in step.answers
    ]
    outputs = [value_phrase(index, item) for item in step.outputs]
    result = [say("dispatch.result", outputs=say_list(outputs))] if outputs else []
    return " ".join((called, *asked, *result))
