"""Sentences of source lines: what they set, called, returned, found or raised."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.model.inside import UserFrame
from gradviz.model.item import Item, array_item, none_item, object_item
from tests.inside_builder import at, dying_trace, inside_trace, line, op, raising_trace
from tests.text.sentences.stage_traces import (
    FIRST,
    changed,
    known,
    of_lines,
    ran,
    t,
    unknown,
    with_step,
)

TWO = np.arange(6.0).reshape(2, 3)


def case(text: str, told: str, *changes: Item, shown: str = "", **more: Any) -> Any:
    """A text whose first line ran and left these values, and what its sentence says of that.

    Args:
        text: The text.
        told: The sentence after the line's number and code, without its full stop.
        changes: What the line changed.
        shown: The code in the sentence, if it is not the text.
        more: Fields of the line, and arguments of `of_lines`.
    """
    fields = {key: more.pop(key) for key in ("last_line", "removed", "result") if key in more}
    situation = {"lines": [ran(1, *changes, **fields)], **more}
    return text, situation, f"Line 1, `{shown or text}`, {told}."


EXP, SUM = (op(f"aten::{name}", [], [t("output")], 0) for name in ("exp", "sum"))
SHARED = changed(known(0.0, TWO + 1)[1], storage=100)
WRITTEN = changed(known(0.0, TWO * 2)[1], storage=100, version=1)
FILLED = changed(known(0.0, np.full((2, 3), 2.0))[1], storage=100, version=1)
TRANSPOSED = changed(known(0.0, TWO.T)[1], storage=100)
PAIR = object_item("", "(Tensor(...), Tensor(...))")
TRIPLE = object_item("", "(Tensor(...), Tensor(...), None)")
NAMES = repr(["a name"] * 30)
ONE_LINE = [
    case("y = x.exp()", "sets y to a 2×3 tensor", t("y"), tensors=unknown((2, 3))),
    case("y = x.exp()", "creates y 2×3", t("y"), tensors=known(TWO), ops=[EXP]),
    case("total = x.sum()", "creates total = 15", t("total"), tensors=known(15.0), ops=[SUM]),
    case(
        "y = x.t()",
        "sets y to a 3×2 tensor",
        t("y", 1),
        tensors=[*known(TWO), TRANSPOSED],
        ops=[op("aten::t", [t("self")], [t("output", 1)], 0)],
    ),
    case("a = b = c = None", "sets a, b and c to None", *map(none_item, "abc")),
    case(
        "n, x, y = 3, w, None",
        "sets n to 3, x to an [8] tensor and y to None",
        object_item("n", "3"),
        t("x"),
        none_item("y"),
        tensors=unknown((8,)),
    ),
    case("del a, b", "deletes a and b", removed=("a", "b")),
    case(
        "x.mul_(2)",
        "changes x in place to a 2×3 tensor (all 2)",
        t("x", 1),
        arguments=[t("x")],
        tensors=[*known(TWO), FILLED],
    ),
    case(
        "x.mul_(2)",
        "changes x and y in place",
        t("x", 1),
        t("y", 1),
        arguments=[t("x"), t("y")],
        tensors=[*known(TWO), WRITTEN],
    ),
    case(
        "array[0] = 1  # numpy shares the memory, and counts no version",
        "changes x in place to a 2×3 tensor",
        t("x", 1),
        shown="array[0] = 1",
        arguments=[t("x")],
        tensors=[*known(TWO), SHARED],
    ),
    case(
        "x = x.clone()",
        "sets x to a 2×3 tensor",
        t("x", 1),
        arguments=[t("x")],
        tensors=known(TWO, TWO),
    ),
    case(
        "x, d = ctx.saved_tensors",
        "sets x to a 2×3 tensor and d to a 2×3 tensor",
        t("x"),
        t("d", 1),
        tensors=known(TWO, TWO),
    ),
    case("y = z = x", "sets y and z to a 2×3 tensor", t("y"), t("z"), tensors=known(TWO)),
    case(
        "array = x.numpy()",
        "sets array to a 2×3 array",
        array_item("array", FIRST),
        tensors=known(TWO),
    ),
    case(
        "array *= 2",
        "changes array to an 8×1 array (all 2)",
        array_item("array", FIRST + 1),
        arguments=[array_item("array", FIRST)],
        tensors=known(TWO, np.full((8, 1), 2.0)),
    ),
    case(
        "found.append(1)",
        "changes found to [1]",
        object_item("found", "[1]"),
        arguments=[object_item("found", "[]")],
    ),
    case(
        "é = '\x0c#'  # a comment after signs of several bytes",
        "sets é to '#'",
        object_item("é", "'#'"),
        shown="é = ' #'",
    ),
    case("print(x)", "sets no local variables"),
    case(
        "torch.add(a, b, out=self.c)",
        "runs aten::add",
        ops=[op("aten::add", [], [], 0), op("aten::add", [], [], 0)],
    ),
    case("with guard(), other(): pass", "sets no local variables"),
    case(
        "return x",
        "returns a 1×1×1 tensor (all ones)",
        result=t("returned"),
        tensors=known(np.ones((1, 1, 1))),
    ),
    case("return", "returns None", result=none_item("returned")),
    case("return n", "returns 3", result=object_item("returned", "3")),
    case("return a, b, None", "returns a 2×2 tensor, a 2×3 tensor and None", result=TRIPLE),
    case("return a, b", "returns (Tensor(...), Tensor(...))", result=PAIR),
    case(
        "y = torch.cat(\n    [a,\n     b])",
        "sets y to a 2×3 tensor",
        t("y"),
        shown="y = torch.cat(…",
        last_line=3,
        tensors=known(TWO),
    ),
    case(
        "y = a \\\n    + b",
        "sets y to the scalar 2",
        t("y"),
        shown="y = a \\ …",
        last_line=2,
        tensors=known(2.0),
    ),
    case("\ty   =\t1  ", "sets y to 1", object_item("y", "1"), shown="y = 1"),
    case(
        f"names = {NAMES}",
        "sets names to ['a name', 'a name', 'a name', 'a name', 'a name', 'a name'…",
        object_item("names", NAMES),
        shown="names = ['a name', 'a name', 'a name', 'a name', 'a name',…",
    ),
    case(
        "a, b, c, d, e, f, g, h, i = range(9)",
        "sets a to 0, b to 1, c to 2, d to 3, e to 4, f to 5 and 3 more",
        *(object_item(name, str(n)) for n, name in enumerate("abcdefghi")),
    ),
    ("", {"lines": [ran(7, none_item("x"))]}, "Line 7 sets x to None."),
    case("if x: y = 1", "sets y to 1", object_item("y", "1")),
    case(
        "<b>&amp;</b> {x} \x1b[31m",
        "sets no local variables",
        shown="<b>&amp;</b> {x} \\x1b[31m",
    ),
]


@pytest.mark.parametrize(("text", "situation", "sentence"), ONE_LINE)
def test_one_line(text: str, situation: dict[str, Any], sentence: str) -> None:
    assert of_lines(text, **situation) == [sentence]


def rows(*numbers: int, **more: Any) -> list[Any]:
    return [ran(number, **more) for number in numbers]


IF = "def f(x):\n    if x:\n        y = 1\n    elif not x:\n        y = 2\n    return y\n"
LOOP = "def f():\n    for a in b:\n        for c in d:\n            e\n    while g:\n        h\n"
HEADS: list[tuple[str, list[Any], list[str]]] = [
    (IF, rows(2, 3, 6), ["`if x:`, evaluates its condition to true"]),
    (IF, rows(2, 4, 5), ["`if x:`, evaluates its condition to false", "", "`y = 2`"]),
    (IF, rows(2, 4, 6), ["", "`elif not x:`, evaluates its condition to false"]),
    (IF, rows(2), ["`if x:`, evaluates its condition to false."]),
    (IF, rows(2, finished=False), ["`if x:`, raises an exception."]),
    (LOOP, rows(2, 5), ["`for a in b:`, ends without an iteration."]),
    (
        LOOP,
        rows(2, 3, 4, 3, 2, 3, 4, 3, 4, 3, 2, 5, 6, 5),
        [
            "`for a in b:`, starts iteration 1.",
            "`for c in d:`, starts iteration 1.",
            "`e`, sets no local variables.",
            "`for c in d:`, ends after 1 iteration.",
            "`for a in b:`, starts iteration 2.",
            "`for c in d:`, starts iteration 1.",
            "`e`, sets no local variables.",
            "`for c in d:`, starts iteration 2.",
            "`e`, sets no local variables.",
            "`for c in d:`, ends after 2 iterations.",
            "`for a in b:`, ends after 2 iterations.",
            "`while g:`, evaluates its condition to true and starts iteration 1.",
            "`h`, sets no local variables.",
            "`while g:`, evaluates its condition to false and ends after 1 iteration.",
        ],
    ),
]


@pytest.mark.parametrize(("text", "lines", "parts"), HEADS)
def test_headers_describe_the_next_line(text: str, lines: Any, parts: list[str]) -> None:
    sentences = of_lines(text, lines)
    for sentence, expected in zip(sentences, parts, strict=False):
        assert expected in sentence


def test_head_says_nothing_where_the_recording_stopped() -> None:
    assert of_lines(IF, rows(2), more_lines=5) == ["Line 2, `if x:`, sets no local variables."]
    sentences = of_lines(LOOP, [ran(2, object_item("a", "1"))], more_lines=5)
    assert sentences == ["Line 2, `for a in b:`, starts iteration 1 and sets a to 1."]


def test_loops_in_a_function_that_is_called_twice_count_from_one_again() -> None:
    text = "def g():\n    for a in b:\n        a\n\n\ng() + g()\n"
    calls = [UserFrame(function=at(1, "g"), arguments=(), caller=0) for _ in range(2)]
    inner = [line(at(number, "g"), frame=frame) for frame in (1, 2) for number in (2, 3, 2)]
    sentences = of_lines(text, [ran(6), *inner], calls=calls)
    assert sentences[0] == "Line 6, `g() + g()`, calls g twice."
    assert [sentences[1], sentences[3], sentences[4]] == [
        "Line 2, `for a in b:` in g, starts iteration 1.",
        "Line 2, `for a in b:` in g, ends after 1 iteration.",
        "Line 2, `for a in b:` in g, starts iteration 1.",
    ]


def test_calls_use_the_names_that_callers_know() -> None:
    text = "z = f(f(f(g(x))))"
    names = ("Layer.f", "Layer.f", "Layer.f", "make.<locals>.g")
    calls = [UserFrame(function=at(1, name), arguments=(), caller=0) for name in names]
    inner = [line(at(1, name), frame=number) for number, name in enumerate(names, 1)]
    expected = of_lines(text, [ran(1, none_item("z")), *inner], calls=calls)[0]
    assert expected == f"Line 1, `{text}`, calls Layer.f 3 times and g and sets z to None."


def test_line_of_another_file_names_it() -> None:
    place = replace(at(3, "scaled"), path="/home/me/layers.py", source=None)
    frame = UserFrame(function=place, arguments=(), caller=0)
    sentences = of_lines("scaled(x)", [ran(1), line(place, frame=1)], calls=[frame])
    assert sentences[1] == "Line 3 of layers.py, in scaled, sets no local variables."
    nameless = replace(place, path="linear.py")
    sentences = of_lines("scaled(x)", [ran(1), line(nameless, frame=1)], calls=[frame])
    assert sentences[1] == "Line 3, in scaled, sets no local variables."
    known_text = replace(place, source=1, line=1)
    sentences = of_lines("scaled(x)", [ran(1), line(known_text, frame=1)], calls=[frame])
    assert sentences[1] == "Line 1 of layers.py, `scaled(x)` in scaled, sets no local variables."


GENERATOR = "def f():\n    for a in b:\n        yield a\n\n\nclass C:\n    x = 1\n\n\nnext(f())\n"


def test_generators_are_entered_and_their_turns_not_counted() -> None:
    calls = [UserFrame(function=at(1, "f"), arguments=(), caller=0) for _ in range(2)]
    inner = [line(at(number, "f"), frame=frame) for frame in (1, 2) for number in (2, 3)]
    sentences = of_lines(GENERATOR, [ran(10), *inner], calls=calls)
    assert sentences[0] == "Line 10, `next(f())`, enters f twice."
    assert sentences[1] == sentences[3] == "Line 2, `for a in b:` in f, starts an iteration."
    ends = [ran(10), line(at(2, "f"), frame=1)]
    assert of_lines(GENERATOR, ends, calls=calls[:1])[1] == "Line 2, `for a in b:` in f, ends."


def test_body_of_a_class_is_no_call_and_a_lambda_has_no_name() -> None:
    body = UserFrame(function=at(6, "C"), arguments=(), caller=0)
    sentences = of_lines(GENERATOR, [ran(6, none_item("C"))], calls=[body])
    assert sentences == ["Line 6, `class C:`, sets C to None."]
    unnamed = UserFrame(function=at(1, "f.<locals>.<lambda>"), arguments=(), caller=0)
    sentences = of_lines("g(lambda: 1)", [ran(1)], calls=[unnamed])
    assert sentences == ["Line 1, `g(lambda: 1)`, calls a lambda."]


def test_line_of_another_method_that_torch_called_names_its_file() -> None:
    place = replace(at(1, "packed"), path="/home/me/hooks.py")
    other = UserFrame(function=place, arguments=(), caller=None)
    sentences = of_lines("return x", [ran(1), line(place, frame=1)], calls=[other])
    assert sentences[1] == "Line 1 of hooks.py, `return x`, sets no local variables."
    nowhere = replace(place, source=None)
    sentences = of_lines("return x", [ran(1), line(nowhere, frame=1)], calls=[other])
    assert sentences[1] == "Line 1 of hooks.py sets no local variables."


def test_tensor_made_in_a_function_that_the_line_called_is_made_by_the_line() -> None:
    frame = UserFrame(function=at(1, "f"), arguments=(), caller=0)
    lines = [ran(1, t("y")), line(at(2, "f"), frame=1, result=t("returned"))]
    ops = [op("aten::exp", [], [t("output")], 1)]
    sentences = of_lines("y = f(x)\nreturn x.exp()", lines, known(TWO), ops=ops, calls=[frame])
    assert sentences[0] == "Line 1, `y = f(x)`, calls f and creates y 2×3."


LINE_29 = "\n" * 28 + "grad_weight = input.t().mm(doubled)"


def test_line_in_which_the_run_died() -> None:
    sentences = of_lines(LINE_29, rows(29, finished=False), trace=dying_trace())
    assert sentences == ["Line 29, `grad_weight = input.t().mm(doubled)`, does not finish."]


def test_line_that_ended_the_run() -> None:
    sentences = of_lines(LINE_29, rows(29, finished=False), trace=raising_trace())
    assert sentences == [
        "Line 29, `grad_weight = input.t().mm(doubled)`, raises RuntimeError: mat1 and mat2 shapes"
        " cannot be multiplied (2x2 and 3x2)."
    ]


def test_line_whose_exception_was_caught() -> None:
    text = "Line 29, `grad_weight = input.t().mm(doubled)`, raises an exception."
    assert of_lines(LINE_29, rows(29, finished=False), trace=inside_trace()) == [text]
    # Another exception ended the run later, from the same line, but not in this step.
    later = with_step(raising_trace(), finished=True, returned=inside_trace().steps[4].returned)
    assert of_lines(LINE_29, rows(29, finished=False), trace=later) == [text]
    # In this step, but the function went on after this line.
    assert of_lines(LINE_29, rows(29, 29, finished=False), trace=raising_trace())[0] == text
