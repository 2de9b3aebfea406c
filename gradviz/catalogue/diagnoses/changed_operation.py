"""What was changed in an operation of backward, and what the change showed."""

from __future__ import annotations

CHANGED_OPERATION = {
    "diagnosis.edited": "With this change, {wrong} of {count} elements are wrong: {change}",
    "diagnosis.edited.two": (
        "Only with both changes, {wrong} of {count} elements are wrong: {change} {other}"
    ),
    "diagnosis.edited.accumulate.repair": "Add up the values in {line}.",
    "diagnosis.edited.first.repair": "Transpose the first matrix in {line}.",
    "diagnosis.edited.second.repair": "Transpose the second matrix in {line}.",
    "diagnosis.edited.scale.repair": (
        "Multiply the value computed in {line} ({operation}) by {factor}."
    ),
    "diagnosis.edited.conjugate_first.repair": (
        "Conjugate the first operand of {operation} in {line}."
    ),
    "diagnosis.edited.conjugate_second.repair": (
        "Conjugate the second operand of {operation} in {line}."
    ),
    "diagnosis.edited.unconjugate.repair": "Leave out the conjugate in {line}.",
    "diagnosis.edited.omit.repair": "Leave out the value computed in {line} ({operation}).",
    "diagnosis.edited.keepdim.repair": "Use dim={dims} and keepdim=True in {line}.",
    "diagnosis.edited.dimension.repair": "Use dim={dims} in {line}.",
    "diagnosis.edited.reverse.repair": "Apply the transpose of {operation} in {line}.",
    "diagnosis.edited.unflip.repair": "Leave out the flip in {line}.",
    "diagnosis.edited.flip.repair": (
        "Flip the value computed in {line} ({operation}) along {dimensions}."
    ),
    "diagnosis.edited.flip_second.repair": "Flip the kernel in {line} along {dimensions}.",
    "diagnosis.edited.replace.repair": "Use {other} instead of {operation} in {line}.",
    "diagnosis.edited.exchange.repair": "Exchange the operands of {operation} in {line}.",
    "diagnosis.edited.negate_first.repair": (
        "Change the sign of the first operand of {operation} in {line}."
    ),
    "diagnosis.edited.negate_second.repair": (
        "Change the sign of the second operand of {operation} in {line}."
    ),
    "diagnosis.edited.use_first.repair": (
        "Use {other} as the first operand of {operation} in {line}."
    ),
    "diagnosis.edited.use_second.repair": (
        "Use {other} as the second operand of {operation} in {line}."
    ),
    "diagnosis.edited.exponent.repair": "Use the exponent {value} in {line}.",
    "diagnosis.edited.total.repair": (
        "Sum the value computed in {line} ({operation}) over {dimensions} with keepdim=True."
    ),
    "diagnosis.edited.shift.repair": (
        "Add {factor} to the value computed in {line} ({operation})."
    ),
    "diagnosis.edited.multiply.repair": (
        "Multiply the value computed in {line} ({operation}) by {other}."
    ),
    "diagnosis.edited.divide.repair": (
        "Divide the value computed in {line} ({operation}) by {other}."
    ),
    "diagnosis.edited.square_first.repair": "Square the first operand of {operation} in {line}.",
    "diagnosis.edited.square_second.repair": "Square the second operand of {operation} in {line}.",
    "diagnosis.edited.root_first.repair": (
        "Take the square root of the first operand of {operation} in {line}."
    ),
    "diagnosis.edited.root_second.repair": (
        "Take the square root of the second operand of {operation} in {line}."
    ),
    "diagnosis.edited.left_product.repair": (
        "Multiply the value computed in {line} ({operation}) from the left by {other}."
    ),
    "diagnosis.edited.right_product.repair": (
        "Multiply the value computed in {line} ({operation}) from the right by {other}."
    ),
    "diagnosis.value.call": "the value computed in {line} ({operation})",
    "diagnosis.value.saved": "saved tensor {number}",
    "diagnosis.value.transpose": "the transpose of {value}",
}
"""Templates of the evidence, and of the repair for each kind of change."""
