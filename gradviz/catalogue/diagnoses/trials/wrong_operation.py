"""One operation of backward is wrong: with it changed, the gradients are right."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_OPERATION = DiagnosisInfo(
    code="wrong_operation",
    title="Wrong operation in backward",
    guide=(
        "one operation of `backward` needs another dimension, direction, exponent, constant or "
        "operand; with this change, the gradients are right"
    ),
    messages={
        "wrong_operation.keepdim": (
            "In the gradient of {inputs}, the result of {operation} in {line} is broadcast along "
            "the wrong dimension: it lacks keepdim=True."
        ),
        "wrong_operation.dimension": (
            "In the gradient of {inputs}, {operation} in {line} works along the wrong dimensions: "
            "{dimensions} of its operand would be right."
        ),
        "wrong_operation.unflip": (
            "In the gradient of {inputs}, the flip in {line} is one too many."
        ),
        "wrong_operation.flip": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) is in reverse "
            "order along {dimensions}."
        ),
        "wrong_operation.flip_second": (
            "In the gradient of {inputs}, the kernel of the convolution in {line} is in reverse "
            "order along {dimensions}: a flip is missing, or there is one too many."
        ),
        "wrong_operation.replace": (
            "In the gradient of {inputs}, {line} uses {operation} where {other} is needed."
        ),
        "wrong_operation.exchange": (
            "In the gradient of {inputs}, the operands of {operation} in {line} are exchanged."
        ),
        "wrong_operation.exponent": (
            "In the gradient of {inputs}, the exponent in {line} is wrong: it should be {value}."
        ),
        "wrong_operation.large": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) is too large "
            "by {amount}."
        ),
        "wrong_operation.small": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) is too small "
            "by {amount}."
        ),
        "wrong_operation.multiply": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) lacks a "
            "factor: {other}."
        ),
        "wrong_operation.use_first": (
            "In the gradient of {inputs}, the first operand of {operation} in {line} is the wrong "
            "value: {other} is needed."
        ),
        "wrong_operation.use_second": (
            "In the gradient of {inputs}, the second operand of {operation} in {line} is the wrong "
            "value: {other} is needed."
        ),
        "wrong_operation.square_first": (
            "In the gradient of {inputs}, the first operand of {operation} in {line} lacks a "
            "square."
        ),
        "wrong_operation.square_second": (
            "In the gradient of {inputs}, the second operand of {operation} in {line} lacks a "
            "square."
        ),
        "wrong_operation.root_first": (
            "In the gradient of {inputs}, the first operand of {operation} in {line} lacks a "
            "square root, or has a square too many."
        ),
        "wrong_operation.root_second": (
            "In the gradient of {inputs}, the second operand of {operation} in {line} lacks a "
            "square root, or has a square too many."
        ),
        "wrong_operation.left_product": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) lacks a "
            "matrix product: {other} from the left."
        ),
        "wrong_operation.right_product": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) lacks a "
            "matrix product: {other} from the right."
        ),
        "wrong_operation.option": (
            "In the gradient of {inputs}, backward differentiates {call} as if its argument were "
            "{other} instead of {given}."
        ),
        "wrong_operation.passed": (
            "The gradient of {inputs} lacks the derivative of {call}: backward passes the "
            "gradient on to {value} unchanged, as if the call returned it."
        ),
        "wrong_operation.recomputed": (
            "The gradient of {inputs} is computed as if forward used {value} itself, not {call}. "
            "Look for a mask or a scale that backward leaves out."
        ),
        "wrong_operation.choice.all": (
            "In the gradient of {inputs}, backward gives the gradient of {call} to all elements, "
            "not only to the chosen one."
        ),
        "wrong_operation.choice.mean": (
            "In the gradient of {inputs}, backward shares the gradient of {call} out among all "
            "elements, instead of giving it to the chosen one."
        ),
        "wrong_operation.choice.first": (
            "In the gradient of {inputs}, backward gives the gradient of {call} to the first "
            "element, not to the chosen one."
        ),
        "wrong_operation.choice.last": (
            "In the gradient of {inputs}, backward gives the gradient of {call} to the last "
            "element, not to the chosen one."
        ),
        "wrong_operation.transpose": (
            "In the gradient of {inputs}, backward uses the transpose of {value}."
        ),
        "wrong_operation.conjugate": (
            "In the gradient of {inputs}, backward uses the conjugate of {value}."
        ),
        "wrong_operation.value": (
            "In the gradient of {inputs}, backward differentiates with {other} where {value} is "
            "needed."
        ),
        "wrong_operation.value.before": (
            "In the gradient of {inputs}, backward differentiates with {other}, one step of the "
            "loop too early, where {value} is needed."
        ),
        "wrong_operation.value.after": (
            "In the gradient of {inputs}, backward differentiates with {other}, one step of the "
            "loop too late, where {value} is needed."
        ),
        "wrong_operation.divide": (
            "In the gradient of {inputs}, the value computed in {line} ({operation}) has a factor "
            "too many: {other}."
        ),
    },
)
