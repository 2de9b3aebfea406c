"""Explains one Jacobian element in words: the input change, its effect, backward's result."""

from __future__ import annotations

import math
from typing import Any

from gradviz.catalogue.language import percent_text
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import exact_number, number_text, without_noise
from gradviz.drawing.cells.pair_matrices import (
    BadElement,
    JacobianStructure,
    MatrixSource,
    PairMatrices,
    ThirdMap,
)
from gradviz.drawing.cells.plane import subscript
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.translation import translate


def source_name(source: MatrixSource) -> str:
    """Short name of a matrix source."""
    return say(f"matrix.{source}")


def option_text(option: MatrixSource | ThirdMap, matrices: PairMatrices) -> tuple[str, str]:
    """Short name of something that a map can show, and a tooltip that describes it."""
    base, other = source_name(matrices.choice.base), source_name(matrices.choice.other)
    third = {
        "difference": (
            translate("Jacobians", "difference"),
            translate("Jacobians", "{other} − {base}"),
        ),
        "tolerance": (
            translate("Jacobians", "tolerance"),
            translate(
                "Jacobians", "|{other} − {base}| / (atol + rtol · |{base}|): more than 1 is outside"
            ),
        ),
        "spread": (
            translate("Jacobians", "spread"),
            translate("Jacobians", "How much repeated backward passes differ"),
        ),
    }
    if option in third:
        name, text = third[option]
        return name, text.format(base=base, other=other)
    tips: dict[str, str] = {
        "numerical": translate(
            "Jacobians", "Effect of small changes of each input, by central differences"
        ),
        "analytical": translate(
            "Jacobians", "What backward returns, for one element of grad_output at a time"
        ),
        "forward": translate(
            "Jacobians", "What jvp returns, for one element of the input at a time"
        ),
        "reference": translate(
            "Jacobians", "What autograd computes for the reference implementation"
        ),
        "repaired": translate(
            "Jacobians", "The analytical Jacobian after the repair that the diagnosis tried"
        ),
    }
    return say(f"matrix.{option}"), tips[option]


def moved(report: JacobianReport, matrices: PairMatrices, row: int, column: int) -> str:
    """Explain how the numerical value was computed; empty for other bases and fast mode."""
    if matrices.choice.base != "numerical" or report.fast:
        return ""
    value = matrices.layers[0].values[row, column]
    # abs, because math.isfinite takes no complex number.
    if not math.isfinite(abs(value)):
        text = translate(
            "Jacobians", "{input} was changed by ±{eps}: the change of {output} is not finite."
        )
    else:
        text = translate(
            "Jacobians",
            "{input} was changed by ±{eps}, which changed {output} by {change}. Divided "
            "by {step}, this is {value}.",
        )
    return text.format(
        input=_input(matrices, row),
        output=_output(matrices, column),
        eps=number_text(report.eps),
        step=number_text(2 * report.eps),
        # The report keeps only the quotient, so the change is computed back from it.
        change=_plain(value * 2 * report.eps),
        value=_plain(value),
    )


def backward_text(report: JacobianReport, matrices: PairMatrices, row: int, column: int) -> str:
    """Explain how the second value was computed."""
    choice, block = matrices.choice, matrices.block
    # Fast mode sends random vectors through backward, not a 1 at a single element.
    if report.fast and choice.other == "analytical":
        return ""
    text = {
        "analytical": translate(
            "Jacobians",
            "Backward received a grad_output of 1 at {output} and 0 elsewhere. The "
            "gradient of {name} that it returned is {value} at {index}.",
        ),
        "reference": translate(
            "Jacobians",
            "Autograd's backward of the reference implementation, for a grad_output of 1 "
            "at {output} and 0 elsewhere, returned {value} at {input}.",
        ),
        "forward": translate(
            "Jacobians",
            "Forward mode, for a tangent of 1 at {input}, returned {value} at {output}.",
        ),
        "repaired": translate("Jacobians", "After the attempted repair, this element is {value}."),
    }.get(choice.other, "")
    if report.order == 2 and choice.other == "analytical":
        text = translate(
            "Jacobians",
            "Double backward received 1 at {output} and 0 elsewhere. The gradient of "
            "{name} that it returned is {value} at {index}.",
        )
    return text.format(
        output=_output(matrices, column),
        input=_input(matrices, row),
        name=block.input_name,
        index=list(matrices.input_index(row)) or translate("Jacobians", "its only element"),
        value=_plain(matrices.layers[1].values[row, column]),
    )


def row_and_column(matrices: PairMatrices, row: int, column: int) -> str:
    """Explain what the row and the column of an element contain."""
    text = translate(
        "Jacobians",
        "Row {row}: the effect of {input} on each element of {output_name}. Column "
        "{column}: the whole gradient of {input_name} for a grad_output of 1 at {output}.",
    )
    return text.format(
        row=row,
        column=column,
        input=_input(matrices, row),
        output=_output(matrices, column),
        input_name=matrices.block.input_name,
        output_name=matrices.block.output_name,
    )


def allowed(matrices: PairMatrices, row: int, column: int) -> str:
    """Allowed difference of the two values; empty if the base is not finite."""
    base = abs(matrices.layers[0].values[row, column])
    if not math.isfinite(base):
        return ""
    return number_text(matrices.atol + matrices.rtol * float(base), 3)


def values_of(matrices: PairMatrices, row: int, column: int) -> list[tuple[str, str]]:
    """Names and exact values of an element in the maps."""
    base, other, third = matrices.layers
    choice = matrices.choice
    found = [
        (source_name(choice.base), exact_number(base.values[row, column])),
        (source_name(choice.other), exact_number(other.values[row, column])),
        (option_text("difference", matrices)[0], _rounded(matrices.difference(row, column))),
    ]
    if choice.third == "spread":
        found.append((option_text("spread", matrices)[0], exact_number(third.values[row, column])))
    return found


def structure_text(name: str, structure: JacobianStructure) -> str:
    """Describe the sparsity structure of a matrix."""
    kind = {
        "zero": translate("Jacobians", "all zero"),
        "identity": translate("Jacobians", "identity matrix"),
        "diagonal": translate("Jacobians", "diagonal"),
        "blocks": translate("Jacobians", "block-diagonal, {count} blocks of {rows}×{columns}"),
        "banded": translate("Jacobians", "banded, {band} diagonals on each side of the main one"),
        "dense": translate("Jacobians", "dense, no exact zeros"),
        "sparse": "",
    }[structure.kind]
    count, rows, columns = structure.blocks
    kind = kind.format(count=count, rows=rows, columns=columns, band=structure.band)
    zeros = translate("Jacobians", "{share} of the elements are exactly zero").format(
        share=zero_share(structure)
    )
    parts = (kind, zeros if 0 < structure.zeros < structure.count else "")
    text = translate("Jacobians", "{name}: {about}")
    return text.format(name=name, about="; ".join(part for part in parts if part))


def zero_share(structure: JacobianStructure) -> str:
    """Share of zeros in percent, never rounded to 0 or 100."""
    share = 100 * structure.zeros / max(1, structure.count)
    # With one nonzero element among millions, 100% would contradict the matrix.
    if 0 < structure.zeros < structure.count:
        share = min(max(share, 0.1), 99.9)
    return percent_text(number_text(share, 3))


def bad_line(matrices: PairMatrices, bad: BadElement) -> str:
    """Entry of one of the worst elements, in two lines."""
    name = check_text.element_name(matrices, bad.row, bad.column)
    numbers = [each.values[bad.row, bad.column] for each in matrices.layers[:2]]
    sources = matrices.choice.base, matrices.choice.other
    values = ", ".join(
        f"{source_name(source)} {number_text(without_noise(number), 5)}"
        for source, number in zip(sources, numbers, strict=True)
    )
    text = translate("Jacobians", "{times}   {name}\n{values}")
    return text.format(times=times_text(bad.excess), name=name, values=values)


def times_text(excess: float) -> str:
    """Error as a multiple of the tolerance, in a few characters."""
    return (
        translate("Jacobians", "not finite") if math.isinf(excess) else f"{number_text(excess, 3)}×"
    )


def bad_table(matrices: PairMatrices) -> str:
    """The worst elements as tab-separated text, for a spreadsheet."""
    base, other = source_name(matrices.choice.base), source_name(matrices.choice.other)
    names = translate("Jacobians", "input"), translate("Jacobians", "output")
    lines = ["\t".join((*names, base, other, "difference", "tolerances"))]
    for bad in matrices.worst_elements:
        at = bad.row, bad.column
        values = (matrices.layers[0].values[at], matrices.layers[1].values[at])
        numbers = (*values, matrices.difference(*at))
        names = _input(matrices, bad.row), _output(matrices, bad.column)
        lines.append("\t".join((*names, *map(exact_number, numbers), number_text(bad.excess, 6))))
    return "\n".join(lines)


def _plain(value: Any) -> str:
    """Format a number without the noise of a central difference."""
    return number_text(without_noise(value), 7)


def _rounded(value: Any) -> str:
    """Format a difference with only its meaningful digits."""
    return exact_number(without_noise(value, 10))


def _input(matrices: PairMatrices, row: int) -> str:
    return subscript(matrices.block.input_name, matrices.input_index(row))


def _output(matrices: PairMatrices, column: int) -> str:
    name = subscript(matrices.block.output_name, matrices.output_index(column))
    part = matrices.block.part
    return (
        translate("Jacobians", "{name} ({part} part)").format(name=name, part=part)
        if part
        else name
    )
