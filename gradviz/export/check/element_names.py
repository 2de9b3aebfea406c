"""Names of elements and blocks of a Jacobian check, shared by all documents."""

from __future__ import annotations

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import MEASURED, number_text, without_noise
from gradviz.model.jacobian_report import JacobianBlock, WorstElement

_DIGITS = 6
_MOST_DIGITS = 17


def block_place(block: JacobianBlock) -> str:
    """Name the pair of a block, like ``output 0, input 1 "weight"``.

    In a second-order check outputs have names too: ``output 1 "grad_weight", input 0 "x"``.
    """
    output = say("name.output", number=block.output)
    # Outputs without a name are called by their number.
    if block.output_name not in (say("name.only_output"), output):
        output = say("pair.output", number=block.output, name=block.output_name)
    if block.part:
        output = say(f"pair.{block.part}", output=output)
    return f"{output}, {say('pair.input', number=block.input, name=block.input_name)}"


def block_sentence(block: JacobianBlock) -> str:
    """Result of comparing a block's matrices: ``mismatch, 6 of 36 wrong; worst ...``."""
    if block.wrong == 0:
        return say_count("pair.match", block.count)
    wrong, count = format_count(block.wrong), format_count(block.count)
    if block.worst is None:
        return say("pair.mismatch", wrong=wrong, count=count)
    element = worst_words(block, block.worst)
    return say("pair.mismatch.worst", wrong=wrong, count=count, element=element)


def worst_words(block: JacobianBlock, worst: WorstElement) -> str:
    """Text like ``weight[1,0] / output[0,0]: analytical 2, numerical 1``."""
    analytical, numerical = two_numbers(worst.analytical, worst.numerical)
    return say(
        "pair.element",
        row=indexed_name(block.input_name, worst.input_index),
        column=indexed_name(block.output_name, worst.output_index),
        analytical=analytical,
        numerical=numerical,
    )


def indexed_name(name: str, index: tuple[int, ...]) -> str:
    """Name an element of a tensor, like ``weight[1,0]``; without an index for a scalar."""
    return f"{name}[{','.join(map(str, index))}]" if index else name


def two_numbers(analytical: complex, numerical: complex) -> tuple[str, str]:
    """Format two numbers with six digits, or as many as are needed to tell them apart."""
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        measured = without_noise(numerical, max(digits, MEASURED))
        words = number_text(_real(analytical), digits), number_text(measured, digits)
        if words[0] != words[1]:
            break
    return words


def _real(value: complex) -> complex | float:
    """The value, as a real number if it is one: a report keeps all its numbers as complex ones."""
    return value if value.imag else value.real
