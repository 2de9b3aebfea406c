"""The lines that declare inputs in a file's ``EXAMPLES``."""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Sequence

from gradviz.analysis.source_statements import parse_source
from gradviz.model.inputs import DIFFERENTIABLE_DTYPES, InputSpec, Number, Offer

_INDENT = "    "


def with_examples(source: str, offers: Sequence[Offer]) -> str | None:
    """The source with the inputs of offers declared at its end; see `examples_source`.

    Returns:
        The whole text with nothing else changed; None if the inputs cannot be declared there.
    """
    lines = examples_source(source, offers)
    ending = "" if source.endswith("\n") or not source else "\n"
    return None if lines is None else f"{source}{ending}\n" + "\n".join(lines) + "\n"


def examples_source(source: str, offers: Sequence[Offer]) -> list[str] | None:
    """The lines that declare the inputs of offers, for the end of a file.

    Args:
        source: Text of a Python file that defines what the offers run.
        offers: Offers without declared inputs, at least one.

    Returns:
        The lines; None if the file cannot be parsed, or declares its inputs in a function
        ``examples``, or if an input is read from a file.
    """
    tree = parse_source(source)
    if tree is None or any(spec.kind == "file" for each in offers for spec in each.inputs):
        return None
    names = {name for statement in tree.body for name in _bound(statement)}
    if "examples" in names:
        return None
    lines = [] if "torch" in names else ["import torch", ""]
    entries = []
    for offer in offers:
        key = f'"{offer.subject.name}"'
        if offer.expression:
            key = _unused(_snake_case(offer.subject.name), names)
            names.add(key)
            lines.append(f"{key} = {offer.expression}")
        entries.append((key, offer.inputs))
    if "EXAMPLES" in names:
        blocks = [_block(f"EXAMPLES[{key}] = ", inputs, "", "") for key, inputs in entries]
        return [*lines, *(line for block in blocks for line in block)]
    blocks = [_block(f"{key}: ", inputs, _INDENT, ",") for key, inputs in entries]
    return [*lines, "EXAMPLES = {", *(line for block in blocks for line in block), "}"]


def _bound(statement: ast.stmt) -> list[str]:
    """Names that a statement at module level binds; ``torch`` only for the package itself."""
    match statement:
        case ast.Import():
            names = [each.asname or each.name.partition(".")[0] for each in statement.names]
            return [each for each in names if each]
        case ast.ImportFrom():
            return [each.asname or each.name for each in statement.names]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [statement.name]
        case _:
            stores = (each for each in ast.walk(statement) if isinstance(each, ast.Name))
            return [each.id for each in stores if isinstance(each.ctx, ast.Store)]


def _block(head: str, inputs: Sequence[InputSpec], indent: str, tail: str) -> list[str]:
    by_name = all(each.name.isidentifier() and not keyword.iskeyword(each.name) for each in inputs)
    opening, closing = "{}" if by_name and inputs else "()"
    lines = [f"{indent}{head}{opening}"]
    for spec in inputs:
        name = f'"{spec.name}": ' if by_name else ""
        lines.append(f"{indent}{_INDENT}{name}{_expression(spec)},")
    return [*lines, f"{indent}{closing}{tail}"]


def _expression(spec: InputSpec) -> str:
    """The Python expression that creates one input."""
    if spec.kind != "tensor":
        return "None" if spec.kind == "none" else spec.text
    dtype = f"dtype=torch.{spec.dtype}"
    gradient = spec.requires_grad and spec.dtype in DIFFERENTIABLE_DTYPES
    sizes = ", ".join(map(str, spec.shape)) if spec.shape else "()"
    shape = f"({', '.join(map(str, spec.shape))}{',' if len(spec.shape) == 1 else ''})"
    count = math.prod(spec.shape)
    numbers = [_number(each) for each in spec.parameters]
    match spec.fill:
        case "randn" | "rand" | "zeros" | "ones" | "eye":
            options = [sizes, dtype, *(["requires_grad=True"] if gradient else [])]
            return f"torch.{spec.fill}({', '.join(options)})"
        case "full":
            text = f"torch.full({shape}, {numbers[0]}, {dtype})"
        case "randint":
            text = f"torch.randint({', '.join(numbers)}, {shape}, {dtype})"
        case "linspace":
            text = f"torch.linspace({', '.join(numbers)}, {count}, {dtype}).reshape{_packed(shape)}"
        case "arange":
            text = f"torch.arange({count}, {dtype}).reshape{_packed(shape)}"
        case _:
            elements = ", ".join(map(_number, spec.values))
            text = f"torch.tensor([{elements}], {dtype}).reshape{_packed(shape)}"
    return f"{text}.requires_grad_()" if gradient else text


def _packed(shape: str) -> str:
    """The call's parentheses around a shape; a tuple in the source only if it is empty."""
    return f"({shape})" if shape == "()" else shape.replace(",)", ")")


def _number(number: Number) -> str:
    is_plain = isinstance(number, complex) or math.isfinite(number)
    return repr(number) if is_plain else f'float("{number}")'


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _unused(name: str, names: set[str]) -> str:
    while name in names or keyword.iskeyword(name):
        name += "_"
    return name
