"""``pytest --gradviz`` and the fixture, in runs of pytest within this process."""

from __future__ import annotations

import inspect
import json
import re
import sys
from importlib.metadata import entry_points
from typing import Any
from xml.etree import ElementTree

import pytest
import torch

import gradviz
from gradviz.testing import fixture, summary, watch
from gradviz.testing.gradcheck_calls import OPTIONS
from gradviz.testing.written_traces import REPORT_ATTRIBUTE

pytest_plugins = ["pytester"]
# A run of pytest forgets what it imported first, so these have to be imported before.
IMPORTED = (fixture, summary, watch)

OPS = """
import pytest, torch
from importlib import import_module
from torch.autograd import Function, gradcheck, gradgradcheck

GradcheckError = import_module("torch.autograd.gradcheck").GradcheckError

class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x

class Refused(Square):
    @staticmethod
    def backward(ctx, grad_output):
        raise KeyError("mine")

class Cut(Square):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x.detach()

def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)
"""


@pytest.fixture
def plugin() -> tuple[str, ...]:
    """Arguments that load the plugin where the package's entry point is not installed."""
    known = "gradviz" in entry_points(group="pytest11").names
    loads = () if known else ("-p", "gradviz.pytest_plugin")
    return ("-p", "no:randomly", *loads)


class Pytest:
    """Runs tests of the program above in a folder of their own."""

    def __init__(self, pytester: pytest.Pytester, plugin: tuple[str, ...]) -> None:
        self.pytester = pytester
        self._plugin = plugin

    def __call__(self, tests: str, *arguments: str, plugins: Any = ()) -> pytest.RunResult:
        self.pytester.makepyfile(ops=OPS, test_ops=f"from ops import *\n{tests}")
        self.pytester.syspathinsert()
        result = self.pytester.runpytest_inprocess(*self._plugin, *arguments, plugins=plugins)
        for name in ("gradcheck", "gradgradcheck"):
            assert not hasattr(getattr(torch.autograd, name), "__wrapped__")
        return result

    def traces(self) -> dict[str, gradviz.LoadedTrace]:
        found = sorted((self.pytester.path / "gradviz-traces").glob("*"))
        return {each.stem: gradviz.load(each) for each in found}


@pytest.fixture
def run(
    pytester: pytest.Pytester, plugin: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> Pytest:
    # If these tests run under xdist, the runs in them still do not.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    return Pytest(pytester, plugin)


FAILING = """
def test_raises():
    random = torch.get_rng_state()
    with pytest.raises(GradcheckError) as caught:
        gradcheck(Square.apply, leaf(1.0, 2.0), eps=1e-5)
    assert str(caught.value).startswith("Jacobian mismatch for output 0 with respect to input 0")
    assert torch.equal(torch.get_rng_state(), random)

@pytest.mark.parametrize("x", [3.0, 4.0])
def test_false(x, capsys):
    assert torch.autograd.gradcheck(Square.apply, leaf(x), raise_exception=False) is False
    assert not torch.autograd.gradgradcheck(Cut.apply, (leaf(x),), raise_exception=False)
    assert capsys.readouterr() == ("", "")

def test_own_exception():
    with pytest.raises(KeyError, match="mine"):
        gradcheck(Refused.apply, leaf(1.0))

def test_passes():
    assert gradcheck(torch.sin, leaf(1.0)) and gradgradcheck(torch.sin, leaf(1.0))

def test_misuse():
    with pytest.raises(TypeError, match="unexpected keyword"):
        gradcheck(torch.sin, leaf(1.0), epsilon=1)
"""


def test_each_failing_gradcheck_has_a_trace_and_a_diagnosis(run: Pytest) -> None:
    result = run(FAILING, "--gradviz")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(
        [
            "*= gradviz =*",
            "test_ops.py::test_raises: gradcheck of Square failed. The gradient of x is 1/2 *",
            "    gradviz view gradviz-traces/test_ops-test_raises.gradviz --tab jacobians",
            "test_ops.py::test_false?3.0?: gradcheck of Square failed. The gradient of x *",
            "    gradviz view gradviz-traces/test_ops-test_false-3.0.gradviz --tab jacobians",
            "test_ops.py::test_false?3.0?: gradgradcheck of Cut failed. *",
            "    gradviz view gradviz-traces/test_ops-test_false-3.0-2.gradviz --tab jacobians",
            "test_ops.py::test_own_exception: gradcheck of Refused failed. *KeyError*'mine'*",
            "test_ops.py::test_misuse: gradviz could not examine the gradcheck (TypeError: *",
        ]
    )
    found = run.traces()
    assert len(found) == 6
    trace = found["test_ops-test_raises"]
    (report,) = trace.reports
    assert (report.eps, report.diagnoses[0].code) == (1e-5, "factor_constant")
    # The call is there too, with its values and lines.
    assert trace.steps[0]["x"].tensor.numpy().tolist() == [1.0, 2.0]
    assert trace.origin.level == "all"
    assert [each.order for each in found["test_ops-test_false-3.0-2"].reports] == [2]


GRADIENTS = """
def test_backward():
    x = leaf(0.0, 1.0)
    (x.sqrt() * 0).sum().backward()

def test_grad():
    x = leaf(0.0)
    torch.autograd.grad((x.sqrt() * 0).sum(), x)

def test_finite():
    x = leaf(0.0)
    x.exp().sum().backward()
    torch.log(-x - 1)  # Only a value is NaN.

def test_between_checks():
    assert gradcheck(torch.sin, leaf(1.0))
    x = leaf(0.0)
    with pytest.raises(ZeroDivisionError):
        (x.sqrt() * 0).sum().backward()
        1 / 0

def test_own_recording():
    import gradviz
    x = leaf(0.0)
    with gradviz.record() as recording:
        x.exp().sum().backward()
    assert recording.trace.steps
    assert not gradviz.check(Square, leaf(2.0))
"""


def test_a_nan_gradient_has_a_trace_that_names_its_origin(run: Pytest) -> None:
    result = run(GRADIENTS, "--gradviz", "--gradviz-dir=some where")
    result.assert_outcomes(passed=5)
    lines = [each for each in result.outlines if each.startswith(("test_ops.py::", "    gradviz"))]
    sentence = "The gradient of x contains NaN. NaN first appears in"
    assert len(lines) == 6
    assert lines[0] == (
        f"test_ops.py::test_backward: {sentence} SqrtBackward0, aten::div: output[0] is nan, "
        "computed from self[0] = 0 and other[0] = 0."
    )
    assert lines[1] == "    gradviz view 'some where/test_ops-test_backward.gradviz'"
    assert lines[2].startswith(f"test_ops.py::test_grad: {sentence} SqrtBackward0")
    assert lines[4].startswith(f"test_ops.py::test_between_checks: {sentence} SqrtBackward0")
    with gradviz.load(run.pytester.path / "some where" / "test_ops-test_backward.gradviz") as trace:
        assert trace.steps[-1].kind == "pass_end"


FIXTURE = """
def test_recorded(gradviz):
    with gradviz.record() as recording:
        leaf(1.0).exp().sum().backward()
    assert recording.trace.steps

def test_checked(gradviz):
    assert gradviz.check(torch.sin, leaf(1.0)).verdict == "match"
    gradviz.check(Square, leaf(1.0), atol=1e-4)
"""


@pytest.mark.parametrize("arguments", [(), ("--gradviz",)])
def test_the_fixture_records_and_asserts(run: Pytest, arguments: tuple[str, ...]) -> None:
    result = run(FIXTURE, *arguments)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.re_match_lines([r"E +AssertionError: Square: the analytical and the numerical"])
    found = run.traces()
    if not arguments:
        result.stdout.no_fnmatch_line("*= gradviz =*")
        assert found == {}
        return
    result.stdout.fnmatch_lines(
        [
            "test_ops.py::test_recorded: 7 steps were recorded.",
            "test_ops.py::test_checked: gradviz.check of Square failed. The gradient of x *",
        ]
    )
    assert [len(each.reports) for each in found.values()] == [1, 0]


class SentReports:
    """The reports as xdist sends them."""

    def __init__(self) -> None:
        self.taken: list[pytest.TestReport] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook, config = self._config.hook, self._config
        data = json.loads(
            json.dumps(hook.pytest_report_to_serializable(config=config, report=report))
        )
        self.taken.append(hook.pytest_report_from_serializable(config=config, data=data))


def test_the_reports_bring_the_traces_to_another_process(run: Pytest) -> None:
    reports = SentReports()
    run(FIXTURE, "--gradviz", plugins=[reports])
    traces = [trace for each in reports.taken for trace in getattr(each, REPORT_ATTRIBUTE)]
    tests = ["test_ops.py::test_recorded", "test_ops.py::test_checked"]
    assert [each["test"] for each in traces] == tests


FAILURES = """
def test_op():
    torch.nn.functional.linear(torch.ones(2), torch.ones(3, 3))

def test_module():
    torch.nn.Sequential(torch.nn.Linear(3, 2))(torch.ones(5))

def test_backward():
    torch.ones(2, requires_grad=True).backward()

def test_custom():
    try:
        Refused.apply(leaf(1.0)).sum().backward()
    except KeyError as error:
        raise ValueError("next") from error
"""


def test_failures_are_printed_as_in_a_plain_run(run: Pytest) -> None:
    def failures(*arguments: str) -> str:
        text = str(run(FAILURES, *arguments).stdout)
        printed = text[text.index("= FAILURES =") : text.index("= short test summary")]
        return re.sub("at 0x[0-9a-f]+", "", printed)

    assert failures("--gradviz") == failures()


@pytest.mark.sweep
def test_xdist_lists_the_traces_of_all_workers(run: Pytest) -> None:
    result = run(FAILING + GRADIENTS, "--gradviz", "-n2")
    result.assert_outcomes(passed=11)
    paths = re.findall(r"gradviz view (\S+)", "\n".join(result.outlines))
    assert len(paths) == 9
    assert {run.pytester.path / each for each in paths} == {
        *(run.pytester.path / "gradviz-traces").iterdir()
    }


@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.sweep)])
def test_junit_xml_has_the_diagnosis_of_each_test(run: Pytest, workers: tuple[str, ...]) -> None:
    fails = "\ndef test_fails():\n    gradcheck(Square.apply, leaf(1.0))\n"
    run(FAILING + FIXTURE + fails, "--gradviz", "--junitxml=j.xml", *workers)
    found: dict[str, list[tuple[str, str]]] = {}
    for case in ElementTree.parse(run.pytester.path / "j.xml").iter("testcase"):
        properties = [
            (each.get("name", ""), each.get("value", "")) for each in case.iter("property")
        ]
        found[case.get("name", "")] = properties
    (said, sentence), (kept, path) = found["test_fails"]
    assert (said, kept) == ("gradviz", "gradviz_trace")
    assert sentence.startswith("gradcheck of Square failed. The gradient of x is 1/2 times")
    assert gradviz.load(path).reports
    counts = {name: len(properties) for name, properties in found.items() if properties}
    assert counts == {
        "test_raises": 2,
        "test_false[3.0]": 4,
        "test_false[4.0]": 4,
        "test_own_exception": 2,
        "test_misuse": 1,
        "test_recorded": 2,
        "test_checked": 2,
        "test_fails": 2,
    }


def test_without_torch_the_option_says_what_is_missing(
    run: Pytest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run("", "--gradviz")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: Running code needs torch, which is not installed.*"])


def test_without_the_option_nothing_is_imported(
    pytester: pytest.Pytester, plugin: tuple[str, ...]
) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_imports():
            loaded = {each for each in sys.modules if each.partition(".")[0] == "gradviz"}
            assert loaded == {"gradviz", "gradviz.version", "gradviz.pytest_plugin"}
            assert "torch" not in sys.modules
        """
    )
    pytester.runpytest_subprocess(*plugin).assert_outcomes(passed=1)


@pytest.mark.parametrize("function", [torch.autograd.gradcheck, torch.autograd.gradgradcheck])
def test_every_option_of_torch_is_passed_on(function: Any) -> None:
    given = set(inspect.signature(function).parameters)
    own = {"func", "inputs", "raise_exception", "grad_outputs", "masked"}
    forward = {"check_forward_ad", "check_fwd_over_rev"}
    # Gradviz reports a gradient of another dtype in any case.
    assert given - own - forward - {"check_grad_dtypes"} <= set(OPTIONS)
    assert set(OPTIONS.values()) <= set(inspect.signature(gradviz.check).parameters)
