"""``gradviz.check`` in the caller's own process."""

from __future__ import annotations

import inspect
import json
import math
import pickle
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import Function, gradcheck

import gradviz
from gradviz.drawing.appearance.palette import color
from gradviz.model.check_settings import CheckSettings
from tests.programs import run_program
from tests.schemas import assert_fits


class Linear(Function):
    """Forgets a transpose where the weight is square."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        return grad_output @ weight.t(), x @ grad_output


class Raises(Function):
    """Its backward raises a message that looks like markup."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        raise KeyError("<img src=x onerror=alert(1)>&\x1b[31m")


def leaf(*shape: int) -> Tensor:
    torch.manual_seed(0)
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def test_each_setting_is_an_argument() -> None:
    names = set(CheckSettings.__struct_fields__)
    not_offered = {"auto_cast", "allow_once", "curve"}
    assert names - set(inspect.signature(gradviz.check).parameters) == not_offered
    given = {"forward_mode": "on", "backward_mode": False, "undefined": False, "masked": True}
    more = {"batched_forward": True, "noncontiguous": True, "eps": 1e-5, "nudge": 0.5}
    result = gradviz.check(torch.sin, leaf(2), **given, **more)
    for name, value in (given | more).items():
        assert getattr(result.settings, name) == value
    assert (result.settings.auto_cast, result.settings.reference) == (True, "")


@pytest.fixture(scope="module")
def wrong() -> gradviz.CheckResult:
    return gradviz.check(Linear, (leaf(3, 3), leaf(3, 3)))


def test_a_mismatch_is_a_value(wrong: gradviz.CheckResult) -> None:
    assert (wrong.verdict, wrong.passed, bool(wrong)) == ("mismatch", False, False)
    assert wrong.diagnosis == wrong.diagnoses[0].code == "transposed"
    assert [each.input_name for each in wrong.blocks] == ["x", "weight"]
    assert not gradcheck(Linear.apply, (leaf(3, 3), leaf(3, 3)), raise_exception=False)
    assert repr(wrong).startswith("<CheckResult Linear [transposed] Failed: the analytical")
    assert str(wrong).startswith("Linear: the analytical and the numerical Jacobians do not match")


def test_a_match_is_true_and_the_inputs_stay() -> None:
    x = leaf(2, 3)
    before = x.detach().clone()
    result = gradviz.check(torch.sin, x)
    assert result
    assert (result.verdict, result.diagnosis) == ("match", "none")
    assert torch.equal(x.detach(), before)
    assert x.grad is None
    diagonal = torch.cos(before).flatten().diag().numpy()
    assert np.allclose(result.matrix(), diagonal)
    assert np.allclose(result.matrix(0, "difference"), 0, atol=1e-8)


def test_matrices_by_name_position_and_block(wrong: gradviz.CheckResult) -> None:
    expected = wrong.matrix("weight", "numerical")
    assert expected.shape == (9, 9)
    for block in (1, -1, "output/weight", wrong.blocks[1]):
        assert np.array_equal(wrong.matrix(block, "numerical"), expected)
    with pytest.raises(ValueError, match="no pair b; available pairs: output/x, output/weight"):
        wrong.matrix("b")
    with pytest.raises(ValueError, match="There is no pair 2; this check has 2 pairs"):
        wrong.matrix(2)
    with pytest.raises(ValueError, match="no matrix both; available: numerical, analytical"):
        wrong.matrix(0, "both")
    expected[:] = 0
    assert wrong.matrix("weight", "numerical").any()


def test_a_result_can_be_pickled(wrong: gradviz.CheckResult) -> None:
    again = pickle.loads(pickle.dumps(wrong))
    assert str(again) == str(wrong)
    assert np.array_equal(again.matrix("weight"), wrong.matrix("weight"))


def test_an_exception_is_a_value_too() -> None:
    result = gradviz.check(Raises, [leaf(2)])
    assert (result.verdict, bool(result)) == ("error", False)
    assert any(each.code == "raised" for each in result.problems)
    assert "No result" in repr(result)


def test_names_and_settings_are_taken() -> None:
    result = gradviz.check(
        lambda a, b: (a * b).sum(),
        (leaf(2), leaf(2)),
        names=("left", "right"),
        atol=1e-4,
        battery=False,
    )
    assert [each.input_name for each in result.blocks] == ["left", "right"]
    assert (result.settings.atol, result.settings.battery) == (1e-4, False)
    assert result.report.atol == 1e-4


def test_second_order_is_gradgradcheck() -> None:
    result = gradviz.check(torch.sin, leaf(2), order=2)
    assert (result.verdict, result.report.order) == ("match", 2)
    assert result.blocks[0].output_name.startswith("grad_")


def test_a_plain_version_is_a_third_opinion() -> None:
    def plain(x: Tensor, weight: Tensor) -> Tensor:
        return x.mm(weight)

    result = gradviz.check(Linear, (leaf(3, 3), leaf(3, 3)), reference=plain)
    assert result.report.reference == "plain"
    found = result.matrix("weight", "reference")
    assert np.allclose(found, result.matrix("weight", "numerical"), atol=1e-7)


class Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: float = 2.0, bias: Any = None) -> torch.Tensor:
        ctx.factor = factor
        return x * factor + (0 if bias is None else bias)

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> tuple[Any, ...]:
        return grad_output * ctx.factor, None, 2 * grad_output


def test_arguments_are_taken_by_name_too() -> None:
    bias = leaf(3)
    result = gradviz.check(Affine, leaf(3), kwargs={"bias": bias}, names=("input",))
    assert {block.input_name: block.wrong for block in result.blocks} == {"input": 0, "bias": 3}
    with pytest.raises(AssertionError, match=r"(?s)do not match.*diagnosis \[factor_constant"):
        result.raise_for_mismatch()
    # These go by name only, so they stay as they are.
    scaled = gradviz.check(lambda x, *, by: x * by, leaf(2), kwargs={"by": 3.0})
    scaled.raise_for_mismatch()
    assert scaled.matrix().tolist() == [[3, 0], [0, 3]]
    assert gradviz.check(torch.add, (leaf(2), leaf(2)), kwargs={"alpha": 3})
    with pytest.raises(TypeError, match="unexpected keyword argument 'factors'"):
        gradviz.check(Affine, leaf(3), kwargs={"factors": 3.0})


def test_progress_is_reported() -> None:
    told: list[tuple[int, int]] = []
    result = gradviz.check(
        torch.sin, leaf(2), progress=lambda done, total: told.append((done, total))
    )
    assert told
    assert told[-1][0] == result.report.evaluations


@pytest.mark.parametrize(
    ("given", "more", "error", "said"),
    [
        ("x", {}, TypeError, "inputs must be a tensor, a tuple or a list, not str"),
        ((), {"names": ("a",)}, ValueError, "names must have one name for each of the 0 inputs"),
        ((leaf(1),), {"names": (1,)}, TypeError, "names must be strings"),
        ((), {"order": 3}, ValueError, "order must be 1 or 2, not 3"),
        ((), {"nudge": math.inf}, ValueError, "nudge must be finite"),
        ((), {"progress": None}, TypeError, "progress must be callable, not NoneType"),
        ((), {"eps": 0}, ValueError, "eps must be greater than 0"),
        ((), {"forward_mode": "yes"}, ValueError, "forward_mode must be"),
        ((), {"grad_outputs": torch.ones(2)}, ValueError, "grad_outputs need order=2"),
        ((), {"grad_outputs": 5, "order": 2}, TypeError, "grad_outputs must be a tensor"),
        ((), {"batched_forward": True}, ValueError, "batched_forward needs forward_mode"),
        ((), {"reference": 1}, TypeError, "reference must be callable, not int"),
    ],
)
def test_wrong_usage_raises(given: Any, more: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        gradviz.check(torch.sin, given, **more)


@pytest.mark.parametrize("surroundings", [torch.no_grad(), torch.inference_mode()])
def test_it_records_gradients_in_any_grad_mode(surroundings: Any) -> None:
    inputs = (leaf(3, 3), leaf(3, 3))
    with surroundings:
        result = gradviz.check(Linear, inputs)
        assert not torch.is_grad_enabled()
    assert (result.diagnosis, result.diagnoses[0].confidence) == ("transposed", "certain")
    assert all(each.grad is None and each.requires_grad for each in inputs)


@pytest.mark.parametrize("options", [{}, {"order": 2}, {"fast": True}, {"variations": True}])
def test_a_default_device_does_not_matter(options: Any) -> None:
    inputs = (leaf(3, 3), leaf(3, 3))
    expected = gradviz.check(Linear, inputs, **options)
    with torch.device("meta"):
        found = gradviz.check(Linear, inputs, **options)
    assert (found.verdict, found.diagnoses) == (expected.verdict, expected.diagnoses)


def test_a_function_of_torch_goes_by_its_name() -> None:
    assert gradviz.check(torch.sin, leaf(1)).report.subject == "sin"


def test_what_cannot_be_called_is_refused() -> None:
    not_callable: Any = 3
    with pytest.raises(TypeError, match="fn must be callable, not int"):
        gradviz.check(not_callable, leaf(1))


def test_it_is_written_in_every_form(wrong: gradviz.CheckResult, tmp_path: Path) -> None:
    wrong.save_npz(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert np.array_equal(file["output.weight.analytical"], wrong.matrix("weight"))
    wrong.save_svg(str(tmp_path / "a.svg"), theme="dark", pair="weight")
    ElementTree.parse(tmp_path / "a.svg")
    wrong.save_png(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(ValueError, match=r"must end in \.png"):
        wrong.save_png(tmp_path / "a.gif")
    with pytest.raises(ValueError, match="no pair b"):
        wrong.save_svg(tmp_path / "b.svg", pair="b")
    with pytest.raises(OSError, match="could not be written: its folder does not exist"):
        wrong.save_png(tmp_path / "none" / "a.png")


def test_its_json_is_that_of_the_command_line(wrong: gradviz.CheckResult) -> None:
    document = json.loads(wrong.to_json())
    assert_fits(document, "check")
    assert (document["diagnosis"], document["subject"]) == ("transposed", "Linear")


class Strict(HTMLParser):
    """Fails where a tag is not closed, and collects what could load or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        for name, value in attrs:
            assert name != "id"
            assert not name.startswith("on")
            if name in ("href", "src"):
                self.links.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(result: gradviz.CheckResult) -> Strict:
    html = result._repr_html_()
    ElementTree.fromstring(html)
    parser = Strict()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    assert "script" not in parser.tags
    return parser


def test_a_notebook_shows_verdict_diagnosis_and_maps(wrong: gradviz.CheckResult) -> None:
    page = read(wrong)
    assert {"img", "style", "details", "pre"} <= page.tags
    assert "Failed: the analytical and the numerical Jacobians do not match." in page.text
    assert wrong.diagnoses[0].message in page.text
    assert "prefers-color-scheme:dark" in page.text
    # Where a page keeps only the texts of an SVG, their order says nothing.
    assert "svg" not in page.tags
    light, dark = (
        ElementTree.fromstring(unquote(each.removeprefix("data:image/svg+xml,")))
        for each in page.links
    )
    texts, others = (
        sorted(filter(None, map(str.strip, each.itertext()))) for each in (light, dark)
    )
    assert texts == others
    assert {"numerical", "analytical"} <= set(texts)
    background = [picture.find("{*}rect").get("fill") for picture in (light, dark)]  # type: ignore[union-attr]
    assert background == [color("canvas", "light"), color("canvas", "dark")]
    html = wrong._repr_html_()
    wanted = {part.split(")")[0].split(",")[0] for part in html.split("var(")[1:]}
    assert all(f"{name}:" in html for name in wanted)


def test_a_notebook_shows_what_was_raised_as_text() -> None:
    page = read(gradviz.check(Raises, leaf(2)))
    assert page.links == []
    assert "<img src=x onerror=alert(1)>&\\x1b[31m" in page.text


def test_what_a_notebook_keeps_of_a_large_check_is_bounded() -> None:
    result = gradviz.check(torch.cumsum, [leaf(600), 0], fast=False, battery=False)
    page = read(result)
    assert len(page.links) == 2
    assert all("data:image/png;base64," in unquote(link) for link in page.links)
    assert len(result._repr_html_()) < 500_000


def test_it_needs_no_qt_and_the_package_no_torch() -> None:
    code = (
        "import sys, gradviz; assert 'torch' not in sys.modules; assert 'check' in dir(gradviz);"
        "import torch; x = torch.ones(2, dtype=torch.float64, requires_grad=True);"
        "r = gradviz.check(torch.sin, x); str(r), r._repr_html_();"
        "assert not [m for m in sys.modules if m.startswith(('PySide6', 'pyqtgraph'))]"
    )
    done = run_program([sys.executable, "-c", code])
    assert done.returncode == 0, done.stderr


def test_what_is_not_there_is_an_attribute_error() -> None:
    name = "chck"
    with pytest.raises(AttributeError, match="no attribute 'chck'"):
        getattr(gradviz, name)


@pytest.mark.parametrize("fn", [Linear, Raises])
def test_a_trace_contains_the_report_and_a_call(fn: Any, tmp_path: Path) -> None:
    arguments = (leaf(3, 3), leaf(3, 3)) if fn is Linear else leaf(2)
    result = gradviz.check(fn, arguments, trace=tmp_path / "check.gradviz")
    with gradviz.load(tmp_path / "check.gradviz") as trace:
        assert trace.reports == (result.report,)
        for block in result.blocks:
            stored = trace.tensor(block.analytical).numpy()
            assert np.array_equal(stored, result.matrix(block))
        assert trace.steps[0]["x"].tensor.torch().equal(leaf(*trace.steps[0]["x"].tensor.shape))
        assert trace.steps[-1].kind == ("pass_end" if fn is Linear else "error")
        assert trace.outcome.kind == ("finished" if fn is Linear else "failed")


def test_a_printed_name_shows_its_control_characters() -> None:
    name = "x\x1b[31m\u202e\nVerdict: match"
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    result = gradviz.check(torch.sin, x, names=[name], battery=False, variations=False)
    assert not set(f"{result}{result!r}") & set("\x1b\u202e")
    assert r"x\x1b[31m\u202e\nVerdict: match" in str(result)
