"""Every position of every recorded run has a complete sentence in plain English."""

from __future__ import annotations

import importlib.util
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.analysis.position.navigation import nearest_at_level, next_place
from gradviz.analysis.position.trace_position import LEVELS, TracePosition, stage_record_at
from gradviz.gallery.registry import SCENES, Scene, scene
from gradviz.model.step import ErrorStep, ForwardStep
from gradviz.store.reader import open_trace
from gradviz.text.narration import describe_position, quiz_question
from gradviz.text.sentences.step import step_sentence
from tests.recorder.line_programs import LINE_PROGRAMS
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.recorder.unusual_programs import ALL_PROGRAMS
from tests.sweeps import scene_of_each_kind, thinned

PROGRAMS = {**ALL_PROGRAMS, **LINE_PROGRAMS}

ARTICLE = re.compile(r"\b(a|an) \[?(\d+)")
VOWEL_FIRST = re.compile(r"8|1[18](?:\d{3})*$")
MISFITS = [
    ("two blanks", re.compile(r"  ")),
    ("a template that was not filled in", re.compile(r"\{(name|value|shape|count|text)\}")),
    ("a list that is cut off", re.compile(r"and and|,\.|, \.| and\.")),
    ("an empty quotation", re.compile("``")),
    ("a plural for one", re.compile(r"\b1 (steps|nodes|leaves|lines|ops|turns|gradients)\b")),
    ("a singular for several", re.compile(r"\b(0|[2-9]|\d\d+) (step|node|leaf|line|op|turn)\b")),
    ("None as if it were a tensor", re.compile(r"None tensor|the scalar None|a None\b")),
    ("an object of Python's", re.compile(r"<[a-z_.]+ object at 0x")),
]


def walks(index: TraceIndex) -> Iterator[tuple[str, TracePosition]]:
    for level in LEVELS:
        place: TracePosition | None = nearest_at_level(index, TracePosition(step=1), level)
        while place is not None:
            yield level, place
            place = next_place(index, place, level)


@pytest.mark.parametrize("each", scene_of_each_kind())
def test_every_place_of_a_scene_has_a_good_sentence(each: Scene, tmp_path: Path) -> None:
    assert_run_is_well_written(lambda: run_scene(each), tmp_path)


@pytest.mark.parametrize("name", thinned(PROGRAMS))
def test_every_place_of_a_run_has_a_good_sentence(name: str, tmp_path: Path) -> None:
    assert_run_is_well_written(PROGRAMS[name], tmp_path)


def assert_run_is_well_written(run: Callable[[], object], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(3)
        record_run(tmp_path, run, level="all")
    with open_trace(tmp_path / "run.gradviz") as reader:
        assert_well_written(index_reader(reader))


def assert_well_written(index: TraceIndex) -> None:
    described = [
        (level, place, describe_position(index, place, level)) for level, place in walks(index)
    ]
    assert len(described) > len(index.trace.steps)
    for level, place, text in described:
        where = f"{level} {place}: {text}"
        step = index.trace.steps[place.step - 1]
        if isinstance(step, ErrorStep):
            continue  # The words of somebody else.
        assert text.endswith("."), where
        assert "\n" not in text, where
        for problem, pattern in MISFITS:
            assert not pattern.search(text), f"{problem}: {where}"
        for article, number in ARTICLE.findall(text):
            assert (article == "an") == bool(VOWEL_FIRST.match(number)), where
        assert quiz_question(index, step).endswith((".", "?")), where


def foreign(folder: Path) -> ModuleType:
    """A copy of the Functions in torch's own tests."""
    origin = importlib.util.find_spec("torch.testing._internal.autograd_function_db")
    assert origin is not None
    assert origin.origin is not None
    path = folder / "foreign.py"
    path.write_bytes(Path(origin.origin).read_bytes())
    spec = importlib.util.spec_from_file_location("foreign", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FOREIGN = ["NumpyCube", "CubeGenVmap", "NumpyExp_", "NumpySort", "SortGenVmap", "Select"]


@pytest.mark.parametrize("name", FOREIGN)
def test_torchs_own_test_functions_have_sentences(name: str, tmp_path: Path) -> None:
    function = getattr(foreign(tmp_path), name)
    more = {"NumpySort": (0,), "SortGenVmap": (0,), "Select": (1,)}.get(name, ())

    def run() -> None:
        leaf = torch.rand(4, 2, dtype=torch.float64, requires_grad=True)
        result = function.apply(leaf * 1, *more)
        (result[0] if isinstance(result, tuple) else result).sum().backward()

    record_run(tmp_path, run, level="all")
    with open_trace(tmp_path / "run.gradviz") as reader:
        index = index_reader(reader)
        assert_well_written(index)
        assert_names_what_is_there(index)
        assert sum(len(part.lines) for inside in index.trace.insides for part in inside.parts) > 4


@pytest.mark.parametrize("name", ["linear", "functional-linear", "linear-wrong"])
def test_sentences_name_what_is_in_the_trace_and_nothing_else(name: str, tmp_path: Path) -> None:
    scene = next(scene for scene in SCENES if scene.id == name)
    record_run(tmp_path, lambda: run_scene(scene), level="all")
    with open_trace(tmp_path / "run.gradviz") as reader:
        assert_names_what_is_there(index_reader(reader))


def assert_names_what_is_there(index: TraceIndex) -> None:
    shapes = {"×".join(map(str, record.shape)) for record in index.trace.tensors}
    for _, place in walks(index):
        text = describe_position(index, place)
        for shape in re.findall(r"\d+(?:×\d+)+", text):
            assert shape in shapes, text
        part = stage_record_at(index, place)
        if part is not None and place.op is not None:
            assert text.startswith(f"{part.ops[place.op].name} "), text
        elif part is not None and place.line is not None:
            line = part.lines[place.line]
            assert text.startswith(f"Line {line.location.line}, `"), text
            source = index.source[line.location.source or 0].text.splitlines()
            quoted = text.split("`")[1].rstrip("…").rstrip()
            assert quoted in " ".join(source[line.location.line - 1].split()), text
            for item in line.changes:
                assert item.name in text.split("`")[-1], text


class Turns(torch.autograd.Function):
    """Loop variables count the iterations, and each condition has a variable."""

    @staticmethod
    def forward(ctx, x):
        for outer in range(3):
            for inner in range(10 * outer, 11 * outer + 1):
                if _skip := inner == 21:
                    continue
                if _stop := inner == 10:
                    break
            else:
                inner = -1
            turn = 0
            while _more := turn < outer:
                turn += 1
        for _alone in range(2):
            pass
        for _never in ():
            pass
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_turns_and_conditions_are_those_that_the_program_counts_itself(tmp_path: Path) -> None:
    record_run(tmp_path, lambda: Turns.apply(torch.ones(1, requires_grad=True)), level="all")
    with open_trace(tmp_path / "run.gradviz") as reader:
        index = index_reader(reader)
        part = stage_record_at(index, TracePosition(step=1, stage="forward"))
        assert part is not None
        described = [
            describe_position(index, TracePosition(step=1, stage="forward", line=at))
            for at in range(len(part.lines))
        ]
    turns = [
        re.search(r"starts iteration (\d+) and sets (\w+) to (\d+)\.", text) for text in described
    ]
    counted = [(each[2], int(each[1]), int(each[3]) % 10 + 1) for each in turns if each]
    names = [name for name, *_ in counted]
    # The second time round, the inner loop is left at once.
    assert [names.count(name) for name in ("outer", "inner", "_alone")] == [3, 1 + 1 + 3, 2]
    assert all(sentence == truth for _, sentence, truth in counted)
    pattern = re.compile(
        r"evaluates its condition to (true|false).* sets _(?:skip|stop|more) to (\w+)"
    )
    conditions = [found for text in described if (found := pattern.search(text))]
    assert len(conditions) >= 10
    assert all(each[1] == each[2].lower() for each in conditions)
    assert {each[1] for each in conditions} == {"true", "false"}
    ends = [text.partition("`, ")[2] for text in described if " ends " in text]
    assert ends.count("ends after 3 iterations.") == 2
    assert "ends after 2 iterations." in ends
    assert "ends without an iteration." in ends


class Mismatched(torch.autograd.Function):
    """Its backward multiplies what does not fit, in a function that it calls."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        try:
            grad.mm(grad)
        except RuntimeError:
            grad = grad * 1
        return multiplied(grad)


def multiplied(grad):
    return grad.mm(grad)


def test_an_exception_is_reported_where_it_passed_and_nowhere_else(tmp_path: Path) -> None:
    recording = record_run(
        tmp_path,
        lambda: Mismatched.apply(torch.ones(2, 3, requires_grad=True)).sum().backward(),
        raises=True,
        level="all",
    )
    # Torch 2.15 puts the name of the op in front.
    reason = f"RuntimeError: {recording.error}."
    assert "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)" in reason
    index = recording.index
    described = [describe_position(index, place, level) for level, place in walks(index)]
    inside = {text.partition("`, ")[2] or text for text in described if not text.endswith(")")}
    assert {text for text in inside if text.endswith(reason)} == {
        f"calls multiplied and raises {reason}",
        f"aten::mm was called with self 2×3 and mat2 2×3 and raised {reason}",
        f"The backward pass executes 2 nodes. It ends with {reason}",
    }
    caught = {text for text in inside if text.endswith("an exception.")}
    assert caught == {
        "raises an exception.",
        "aten::mm was called with self 2×3 and mat2 2×3 and raised an exception.",
    }
    assert sum(f"It raised {reason}" in text for text in described) == 1


def test_a_torch_function_that_changes_its_input_says_so(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: run_scene(scene("saved-changed")))
    sentences = [step_sentence(recording.index, step) for step in recording.steps(ForwardStep)]
    assert ["in place" in each for each in sentences] == [False, False, True, False]
    assert sentences[2].endswith(" It changes h in place, from version 0 to 1.")


def test_the_sentence_of_a_call_names_all_its_nodes_and_values(tmp_path: Path) -> None:
    linear = torch.nn.Linear(3, 4)
    # UnsafeViewBackward0 since torch 2.15.
    node = linear(torch.ones(2, 5, 3)).grad_fn.name()

    def run() -> None:
        x = torch.ones(2, 5, 3)
        steps = [linear(x).view(2, 5, 2, 2), linear(x).narrow(0, 1, 1)]
        sum(each.sum() for each in steps).backward()  # type: ignore[union-attr]

    recording = record_run(tmp_path, run)
    texts = [describe_position(recording.index, TracePosition(step=at), "node") for at in (1, 2, 4)]
    assert texts == [
        "linear takes x 2×5×3, linear.weight 4×3 and linear.bias [4] and returns output 2×5×4; "
        f"autograd adds {node}, AddmmBackward0 and TBackward0 to the graph.",
        "view maps input 0 2×5×4 to output 2×5×2×2 using input 1 = 2, input 2 = 5, input 3 = 2 and "
        "input 4 = 2; autograd adds ViewBackward0 to the graph.",
        "narrow maps input 2×5×4 to output 1×5×4 using dim = 0, start = 1 and length = 1; "
        "autograd adds SliceBackward0 to the graph.",
    ]
