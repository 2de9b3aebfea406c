"""What a file declares no inputs for: it is offered, and inputs are made by calling it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.linter.examples_source import with_examples
from gradviz.model.inputs import InputSpec, Offer
from gradviz.protocol.messages import Described, DescribeRequest
from gradviz.worker.describe import describe
from gradviz.worker.load import load

HEAD = "import torch\nfrom torch.autograd import Function\n"


@pytest.fixture(autouse=True)
def untouched_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in set(sys.modules) - before:
        if name.startswith("undeclared_file"):
            del sys.modules[name]


def function(parameters: str, forward: str, backward: str, name: str = "F") -> str:
    """Source of a Function; ``g`` is what its backward receives, ``v`` what forward saved."""
    return f"""
class {name}(Function):
    @staticmethod
    def forward(ctx, {parameters}):
        {forward}
    @staticmethod
    def backward(ctx, g):
        v = ctx.saved_tensors
        return {backward}
"""


def file_with(folder: Path, text: str) -> str:
    path = folder / "undeclared_file.py"
    path.write_text(HEAD + text)
    return str(path)


def made(path: str, *names: str) -> Described:
    return describe(DescribeRequest(path=path, made_for=names))


def short(spec: InputSpec) -> object:
    """What is characteristic of an input: shape and dtype, or the text of the object."""
    if spec.kind != "tensor":
        return spec.text or None
    is_usual = (spec.dtype, spec.fill, spec.requires_grad) == ("float64", "randn", True)
    return list(spec.shape) if is_usual else (list(spec.shape), spec.dtype, spec.fill)


SAVE = "ctx.save_for_backward"
CASES = {
    "product": (
        ("a, b", f"{SAVE}(a, b); return a @ b", "g @ v[1].t(), v[0].t() @ g"),
        [[2, 3], [3, 4]],
    ),
    "bias by default": (
        (
            "x, weight, bias=None",
            f"{SAVE}(x, weight); return x @ weight.t() + (0 if bias is None else bias)",
            "g @ v[1], g.t() @ v[0], g.sum(0)",
        ),
        [[2, 3], [4, 3], [4]],
    ),
    "number that gets no gradient": (
        ("x, much", "ctx.much = much; return x * much", "g * ctx.much, None"),
        [[2, 3], "2.0"],
    ),
    "dimension": (
        (
            "x, dim: int, keep: bool = True",
            "ctx.shape = x.shape; return x.sum(dim, keepdim=keep)",
            "g.expand(ctx.shape), None, None",
        ),
        [[2, 3], "1", "True"],
    ),
    "positive numbers only": (
        ("x", f"{SAVE}(x); return x.log()", "g / v[0]"),
        [([2, 3], "float64", "rand")],
    ),
    "class indices": (
        (
            "x, target",
            f"{SAVE}(x, target); return x.gather(1, target[:, None]).sum()",
            "torch.zeros_like(v[0]).scatter(1, v[1][:, None], g), None",
        ),
        [[2, 3], ([2], "int64", "randint")],
    ),
    "backward that always fails": (
        ("x, y", "return x * y", "g"),
        [[2, 3], [2, 3]],
    ),
    "wrong transpose, which fits a square": (
        ("a, b", f"{SAVE}(a, b); return a @ b", "g @ v[1], v[0].t() @ g"),
        [[3, 3], [3, 3]],
    ),
}


@pytest.mark.parametrize(("parts", "expected"), CASES.values(), ids=CASES)
def test_inputs_are_made(
    tmp_path: Path, parts: tuple[str, str, str], expected: list[object]
) -> None:
    path = file_with(tmp_path, function(*parts))
    answer = made(path, "F")
    assert answer.problem == ""
    assert [short(spec) for spec in answer.offers[0].inputs] == expected


def test_what_never_runs_is_one_sentence(tmp_path: Path) -> None:
    path = file_with(tmp_path, function("x", "print(x); raise OSError('no disk')", "g"))
    answer = made(path, "F")
    assert answer.offers == ()
    assert answer.problem == (
        "F failed with all inputs that were tried. With the first ones: OSError in forward"
        " (undeclared_file.py, line 7): no disk."
    )


MODULES = """
class Layer(torch.nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(outside, inside))
    def forward(self, x):
        return x @ self.weight.t()

class Needy(torch.nn.Module):
    def __init__(self, config):
        self.size = config.size

class Net(torch.nn.Module):
    def forward(self, x):
        return x.exp()
net = Net()
"""


def test_functions_and_modules_are_offered_at_once(tmp_path: Path) -> None:
    text = function("x, weight, n: int = 3", "return x", "g") + MODULES
    path = file_with(tmp_path, text + function("x", "return x", "g", "_Private"))
    answer = describe(DescribeRequest(path=path))
    assert answer.problem == ""
    assert [(each.title, each.is_declared, each.line > 0) for each in answer.offers] == [
        ("F", False, True),
        ("Layer", False, True),
        ("net", False, False),
    ]
    first, layer, _ = answer.offers
    assert [short(spec) for spec in first.inputs] == [[2, 3], [2, 3], "3"]
    assert layer.expression == "Layer(3, 4).double()"
    assert load(layer.subject)[0].thing.weight.shape == (4, 3)
    replies: list[Described] = []
    last = describe(DescribeRequest(path=path, makes_inputs=True), replies.append)
    assert replies == [answer]
    assert last == made(path, "F")
    Path(path).write_text(Path(path).read_text() + 'EXAMPLES = {"F": (torch.ones(1), 1)}\n')
    declared = describe(DescribeRequest(path=path, makes_inputs=True), replies.append)
    assert declared.offers[0].is_declared
    assert replies == [answer]


@pytest.mark.parametrize(
    ("tail", "first_line"),
    [
        ("", "layer = Layer(3, 4).double()"),
        ("EXAMPLES = {'Other': ()}\nOther = torch.ones\n", "layer = Layer(3, 4).double()"),
        ("layer = 1\n", "layer_ = Layer(3, 4).double()"),
    ],
)
def test_declared_inputs_are_those_that_were_made(
    tmp_path: Path, tail: str, first_line: str
) -> None:
    text = function("x, n: int", "ctx.n = n; return x * n", "g * ctx.n, None") + MODULES
    path = file_with(tmp_path, text.replace("net = Net()", "") + tail)
    offers = made(path, "F", "Layer").offers
    source = Path(path).read_text()
    changed = with_examples(source, offers)
    assert changed is not None
    assert changed.startswith(source)
    assert changed[len(source) :].split("\n")[1] == first_line
    Path(path).write_text(changed)
    answer = describe(DescribeRequest(path=path))
    assert answer.problem == ""
    found = {each.title: each for each in answer.offers if each.is_declared}
    assert [short_given(each) for each in found["F"].inputs] == [([2, 3], "float64", True), "2"]
    layer = found[first_line.split(" ")[0]]
    assert [short_given(each) for each in layer.inputs] == [([2, 3], "float64", True)]


def short_given(spec: InputSpec) -> object:
    return spec.text or (list(spec.shape), spec.dtype, spec.requires_grad)


def test_what_cannot_be_written_is_not_proposed() -> None:
    offers: tuple[Offer, ...] = ()
    assert with_examples("def examples():\n    return {}", offers) is None
    assert with_examples("x = (", offers) is None
    assert with_examples("import torch.nn as nn", offers) == (
        "import torch.nn as nn\n\nimport torch\n\nEXAMPLES = {\n}\n"
    )


def test_functions_come_last_and_are_called_only_for_someone(tmp_path: Path) -> None:
    text = "calls = []\ndef double(x):\n    calls.append(x)\n    return 2 * x\n"
    path = file_with(tmp_path, text)
    answer = describe(DescribeRequest(path=path, makes_inputs=True), pytest.fail)
    assert [each.is_plain_function for each in answer.offers] == [True]
    assert not sys.modules["undeclared_file"].calls
    assert answer.problem.startswith("undeclared_file.py defines no Function or Module")
    (offer,) = made(path, "double").offers
    assert [short(spec) for spec in offer.inputs] == [[2, 3]]
    path = file_with(tmp_path, text + function("x", "return x", "g"))
    assert [each.title for each in describe(DescribeRequest(path=path)).offers] == ["F", "double"]


def test_a_file_that_does_work_is_read_instead_of_run(tmp_path: Path) -> None:
    text = function("x", "return x", "g") + "raise OSError\nfor _ in range(3):\n    F.apply(x)\n"
    path = file_with(tmp_path, text)
    answer = describe(DescribeRequest(path=path, makes_inputs=True), pytest.fail)
    assert [(each.title, each.is_from_text) for each in answer.offers] == [("F", True)]
    assert answer.problem == (
        "undeclared_file.py was only read, not run: line 13 would start its work."
    )
    for request in (
        DescribeRequest(path=path, runs_work=True),
        DescribeRequest(path=path, made_for=("F",)),
        DescribeRequest(path=file_with(tmp_path, f"{text}EXAMPLES = {{}}")),
    ):
        assert describe(request).problem == "OSError (undeclared_file.py, line 12)."
