"""User files: how they declare inputs, and what they offer."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
import torch

import gradviz
from gradviz.model.inputs import SCRIPT, RunSubject
from gradviz.protocol.messages import Described, DescribeRequest, Device, RunRequest
from gradviz.worker.describe import describe
from gradviz.worker.load import load, load_file
from gradviz.worker.prepared_call import prepare
from gradviz.worker.run import run
from gradviz.worker.run_script import RunScript
from gradviz.worker.user_errors import WorkError

HEAD = """
import torch
from torch.autograd import Function

class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor=2.0, *, bias=None):
        return x * factor

class Split(Function):
    @staticmethod
    def forward(x, weight):
        return x * weight
    @staticmethod
    def setup_context(ctx, inputs, output):
        pass
"""


@pytest.fixture(autouse=True)
def untouched_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Another test may have loaded a file of that name in this process.
    monkeypatch.delitem(sys.modules, "own", raising=False)
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in set(sys.modules) - before:
        if name.startswith(("own", "gradviz_file", "parts")):
            del sys.modules[name]


def described(folder: Path, text: str, name: str = "own.py") -> Described:
    (folder / name).write_text(HEAD + dedent(text))
    return describe(DescribeRequest(path=str(folder / name)))


@pytest.mark.parametrize(
    "declared",
    [
        "EXAMPLES = {'Scale': (torch.ones(2), 3.0), Split: [torch.ones(2), torch.ones(2)]}",
        "EXAMPLES = {Scale: {'x': torch.ones(2), 'factor': 3.0}, 'Split': (torch.ones(2),) * 2}",
        "def examples():\n    return {Scale: (torch.ones(2), 3.0), Split: (torch.ones(2),) * 2}",
    ],
)
def test_ways_to_declare(tmp_path: Path, declared: str) -> None:
    answer = described(tmp_path, declared)
    assert answer.problem == ""
    scale, split = answer.offers
    assert [spec.name for spec in scale.inputs] == ["x", "factor"]
    assert [spec.name for spec in split.inputs] == ["x", "weight"]
    assert scale.inputs[0].values == (1.0, 1.0)
    assert (scale.inputs[1].kind, scale.inputs[1].text) == ("object", "3.0")
    assert scale.subject == RunSubject(path=str(tmp_path / "own.py"), name="Scale")
    assert (scale.line, split.line) == (5, 10)


def test_other_callables_and_single_arguments(tmp_path: Path) -> None:
    answer = described(
        tmp_path,
        """
        def twice(*tensors): return tensors[0] * 2
        layer = torch.nn.Linear(3, 2)
        EXAMPLES = {"twice": (torch.ones(2), torch.ones(2)), "layer": torch.ones(4, 3), "sine": 1}
        sine = torch.sin
        class Mine(torch.nn.Module): pass
        EXAMPLES[Mine] = ()
        """,
    )
    declared = [offer for offer in answer.offers if offer.is_declared]
    assert [offer.title for offer in declared] == ["twice", "layer", "sine"]
    assert [[spec.name for spec in offer.inputs] for offer in declared] == [
        ["tensors[0]", "tensors[1]"],
        ["input"],
        ["argument[0]"],
    ]
    assert "Mine is a class but not a torch.autograd.Function" in answer.problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("EXAMPLES = 5", "It must be a dict"),
        ("def examples():\n    yield 5", "examples() in own.py returned an object of type gen"),
        ("EXAMPLES = {Scale: lambda: (1, 2)}", "The example of Scale is a function"),
        ("EXAMPLES = {Scale: len}", "The example of Scale is a function"),
        ("import functools\nEXAMPLES = {Scale: functools.partial(int)}", "is a function"),
        ("EXAMPLES = {'Nowhere': ()}", "contains 'Nowhere', which own.py does not define"),
        ("EXAMPLES = {Scale: {'y': 1}}", "The example of Scale has no value for 'x'"),
        ("EXAMPLES = {Scale: {'x': 1, 'y': 1}}", "Scale has no parameter 'y'"),
        ("def examples():\n    raise OSError('no disk')", "own.py, line 18): no disk"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    answer = described(tmp_path, text)
    assert words in answer.problem
    assert "\n" not in answer.problem


def test_a_file_is_a_fresh_module_with_its_folder_in_reach(tmp_path: Path) -> None:
    (tmp_path / "own_sibling.py").write_text("VALUE = 7")
    file = tmp_path / "own.py"
    file.write_text("import own_sibling\nassert __name__ == 'own'\nVALUE = own_sibling.VALUE")
    assert load_file(str(file)).VALUE == 7
    file.write_text("assert __name__ != '__main__'\nVALUE = 8")
    assert load_file(str(file)).VALUE == 8
    assert not (tmp_path / "__pycache__" / "own.cpython-311.pyc").exists()


def test_a_file_named_like_a_module_does_not_replace_it(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("VALUE = 9")
    before = sys.modules["json"]
    assert load_file(str(tmp_path / "json.py")).VALUE == 9
    assert sys.modules["json"] is before


@pytest.mark.parametrize("project", [False, True])
def test_a_file_in_a_package_has_its_relative_imports(project: bool, tmp_path: Path) -> None:
    folder = tmp_path / "src" / "parts" / "inner"
    folder.mkdir(parents=True)
    if project:
        (tmp_path / "pyproject.toml").touch()
    else:
        for each in (folder, folder.parent):
            (each / "__init__.py").touch()
    (folder.parent / "factor.py").write_text("VALUE = 3")
    (folder / "ops.py").write_text("from ..factor import VALUE\nfrom parts import factor\n")
    module = load_file(str(folder / "ops.py"))
    assert (module.__name__, module.VALUE, module.factor.VALUE) == ("parts.inner.ops", 3, 3)


def test_a_file_that_its_package_imports_runs_once(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "__init__.py").write_text("RUNS = []\nfrom . import ops")
    (folder / "ops.py").write_text("from . import RUNS\nRUNS.append(__name__)")
    assert load_file(str(folder / "ops.py")).RUNS == ["parts.ops"]
    assert load_file(str(folder / "__init__.py")).RUNS == ["parts.ops"]


def test_a_package_that_raises_is_a_load_error(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "__init__.py").write_text("1 / 0")
    (folder / "ops.py").write_text("from . import nothing")
    with pytest.raises(WorkError, match="ZeroDivisionError"):
        load_file(str(folder / "ops.py"))


def test_a_file_without_relative_imports_stays_a_module_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('not imported')")
    (folder / "own_sibling.py").write_text("VALUE = 5")
    (folder / "own_ops.py").write_text("from own_sibling import VALUE\nNAME = __name__")
    module = load_file(str(folder / "own_ops.py"))
    assert (module.VALUE, module.NAME) == (5, "own_ops")


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (RunSubject(path="nowhere.py", name="X"), "cannot be read: No such file"),
        (RunSubject(path="own.py", name="X"), "own.py does not define 'X'"),
        (RunSubject(path="long.py", name="X"), "long.py is too deeply nested to be read"),
        (RunSubject(path="own.py", name="VALUE"), "VALUE cannot be called: it is of type int"),
        (RunSubject(scene="nowhere"), "no scene 'nowhere'"),
    ],
)
def test_what_cannot_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subject: RunSubject, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("VALUE = 5")
    (tmp_path / "long.py").write_text("x = " + "+".join("1" * 20_000))
    with pytest.raises(WorkError, match=words):
        load(subject)


def test_named_arguments_reach_keyword_parameters(tmp_path: Path) -> None:
    answer = described(
        tmp_path,
        """
        def free(x, *, scale, **rest): return x, scale, rest
        EXAMPLES = {"free": {"x": 1, "scale": 2, "mode": 3}, Scale: (1,), Split: (1, 2)}
        """,
    )
    assert [spec.name for spec in answer.offers[0].inputs] == ["x", "scale", "mode"]
    target, given = load(answer.offers[0].subject)
    names = [each.spec.name for each in given]
    script = RunScript(target, names, [each.value for each in given])
    assert script.call() == (1, 2, {"mode": 3})
    wrong = described(tmp_path, "def free(**r): pass\nEXAMPLES = {'free': {'a b': 1}}", "own2.py")
    assert wrong.problem == "free has no parameter 'a b'."


@pytest.mark.parametrize(
    "value",
    [
        "torch.ones(2, device='meta')",
        "torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])",
        "torch.eye(2).to_sparse()",
    ],
)
@pytest.mark.filterwarnings("ignore:.*nested tensors:UserWarning")
def test_unusual_tensors_are_offered_without_values(tmp_path: Path, value: str) -> None:
    answer = described(tmp_path, f"EXAMPLES = {{Scale: ({value},), Split: (1, 2)}}")
    assert answer.problem == ""
    assert answer.offers[0].inputs[0].values == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def __getattr__(name): raise RuntimeError(name)", ""),
        ("def __getattr__(name): return 3", ""),
        ("del __file__\nEXAMPLES = {Scale: (1,)}", ""),
        (
            "class Name(str):\n    def __repr__(self): raise OSError\nEXAMPLES = {Name('a'): 1}",
            "EXAMPLES contains 'a', which own.py does not define.",
        ),
        (
            "class Map(dict):\n    def __getitem__(self, key): raise OSError\nEXAMPLES = Map(a=1)",
            "The examples cannot be read: OSError in __getitem__ (own.py, line 18).",
        ),
    ],
)
def test_a_module_with_unusual_attributes_is_read(tmp_path: Path, text: str, problem: str) -> None:
    answer = described(tmp_path, text)
    assert answer.problem == problem
    assert {each.title for each in answer.offers} >= ({"Scale", "Split"} if not problem else set())


def test_a_key_that_names_nothing_gets_a_sentence(tmp_path: Path) -> None:
    problem = described(tmp_path, "EXAMPLES = {5: (), Scale: (1,)}").problem
    assert problem == (
        "EXAMPLES in own.py has a key of type int. Keys are names, Functions, modules or functions."
    )


def test_null_byte_is_reported_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_bytes(b"x = 1\x00")
    problem = describe(DescribeRequest(path=str(tmp_path / "own.py"))).problem
    assert problem == "own.py: source code string cannot contain null bytes."


def test_values_that_are_offered_are_those_that_run(tmp_path: Path) -> None:
    answer = described(tmp_path, "EXAMPLES = {'Scale': (torch.randn(3), 3.0)}")
    torch.randn(5)
    prepared = prepare(answer.offers[0], Device(name="cpu", title="CPU", has_float64=True))
    assert tuple(prepared.values[0].tolist()) == answer.offers[0].inputs[0].values


def test_tensors_in_containers_are_named_by_their_places(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "import torch\n"
        "def both(batch):\n"
        "    return {'y': [batch['x'] * batch['s'][0]]}\n"
        "x, s = (torch.ones(2, requires_grad=True) for _ in range(2))\n"
        "EXAMPLES = {'both': ({'x': x, 's': [s]},)}\n"
    )
    (offer,) = describe(DescribeRequest(path=str(path))).offers
    assert run(RunRequest(offer=offer, trace=str(tmp_path / "run.gradviz"))).problem == ""
    with gradviz.load(tmp_path / "run.gradviz") as trace:
        names = {each.variable_name for each in trace.nodes if each.kind == "accumulate"}
        assert names == {"batch['x']", "batch['s'][0]"}
        assert trace.steps[-1].sentence == "The backward pass is complete."


@pytest.mark.parametrize("name", ["run.gradviz", "talk.gradviz-lesson", "notes.txt", "train"])
def test_only_what_is_named_as_python_runs(tmp_path: Path, name: str) -> None:
    path, marker = tmp_path / name, tmp_path / "run"
    path.write_text(f"import torch\nopen({str(marker)!r}, 'w')\ndef f(x):\n    return x\n")
    sentence = f"{path} is not a Python file: its name does not end with .py."
    for runs_work in (False, True):
        described = describe(DescribeRequest(path=str(path), runs_work=runs_work))
        assert (described.offers, described.problem) == ((), sentence)
    for target in ("f", SCRIPT):
        with pytest.raises(WorkError, match=re.escape(sentence)):
            load(RunSubject(path=str(path), name=target))
    assert not marker.exists()
