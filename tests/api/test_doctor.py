"""``gradviz.doctor`` in Python: files, Functions, and calls with inputs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd import Function

import gradviz
from gradviz.api import recorded_call
from gradviz.recorder.run_origin import make_origin
from tests.recorder.recorded_run import record_run


class Twice(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.x = x
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * g, None


class Other(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(3)
        return x.clone()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g, None


class InPlace(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        # The gradient of a sum is expanded, so torch cannot write to it.
        return g.mul_(2)


class Nested(Function):
    @staticmethod
    def forward(ctx: Any, xs: Any) -> Any:
        return 2 * xs[0]

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return None


class Both(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * g

    @staticmethod
    def vjp(ctx: Any, g: Any) -> Any:
        return 2 * g


class Unreached(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        raise LookupError("nothing there")

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        g.mul_(2)
        return g


def ids(*arguments: Any, **options: Any) -> list[str]:
    return [each.rule.id for each in gradviz.doctor(*arguments, **options)]


def test_a_function_is_read_or_run() -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert ids(Twice) == ["GV101", "GV207"]
    assert ids(Twice.apply, x) == ["GV101", "GV207"]
    assert ids(Twice, x, ignore=["GV2"]) == ["GV101"]
    assert x.grad is None


def test_a_refusal_of_torch_is_a_finding() -> None:
    found = gradviz.doctor(Other, torch.ones(2, requires_grad=True), select=["GV106"])
    assert [(each.evidence, each.severity) for each in found] == [("torch", "error")]
    assert found[0].path == __file__
    # A notebook shows it on one line, without the texts of the rule.
    line = f"<DoctorFinding GV106 error {__file__}:{found[0].line} {found[0].message}>"
    assert repr(found[0]) == line


def test_an_error_that_no_rule_explains_is_raised() -> None:
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        gradviz.doctor(fails, torch.ones(2))
    with pytest.raises(FileNotFoundError):
        gradviz.doctor("absent.py")


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "twice.py"
    file.write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    found = ["GV101", "GV207", "GV105", "GV207", "GV301", "GV404", "GV301", "GV301"]
    assert ids(file) == found
    assert ids(str(file), select=["GV1"]) == ["GV101", "GV105"]


def test_a_check_reports_what_it_reads_and_what_a_call_shows() -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    result = gradviz.check(Twice, x)
    assert "GV101 warning: Twice.forward" in str(result)
    assert "GV207 style: Twice.backward" in str(result)
    found = result.to_dict()["findings"]
    assert [(each["rule"], each["path"]) for each in found] == [
        ("GV101", __file__),
        ("GV207", __file__),
    ]
    assert x.grad is None


def test_no_leaf_gets_another_gradient() -> None:
    layer = torch.nn.Linear(2, 1, dtype=torch.float64)
    before = torch.full_like(layer.weight, 5.0)
    layer.weight.grad = before
    gradviz.check(layer, torch.ones(1, 2, dtype=torch.float64, requires_grad=True))
    gradviz.doctor(layer, torch.ones(1, 2, dtype=torch.float64))
    assert layer.weight.grad is before
    assert before.unique().item() == 5
    assert layer.bias.grad is None


def test_a_backward_may_read_the_gradient_of_a_leaf() -> None:
    class Adds(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            assert weight.grad is not None
            weight.grad.add_(1)
            return 2 * g

    weight = torch.ones(2, requires_grad=True)
    weight.grad = torch.ones(2)
    x = torch.ones(2, requires_grad=True)
    assert gradviz.doctor(lambda x: Adds.apply(x) * weight, x, select=["GV201"]) == ()
    assert weight.grad.tolist() == [1, 1]


def test_a_check_inside_a_recording_reports_what_it_reads(tmp_path: Path) -> None:
    results: list[gradviz.CheckResult] = []
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    # Only one recording at a time can patch torch.
    record_run(tmp_path, lambda: results.append(gradviz.check(Twice, x)))
    assert [each.code for each in results[0].findings] == ["tensor_on_ctx", "surplus_none"]


def test_a_violation_that_was_only_read_explains_no_exception() -> None:
    with pytest.raises(LookupError, match="nothing there"):
        gradviz.doctor(Unreached, torch.ones(2, requires_grad=True))


def test_an_error_at_a_violation_is_explained() -> None:
    assert ids(InPlace, torch.ones(2, requires_grad=True)) == ["GV301"]


def test_a_refusal_is_listed_at_the_line_that_was_read() -> None:
    (found,) = gradviz.doctor(Both, torch.ones(2, requires_grad=True))
    assert (found.rule.id, found.evidence) == ("GV404", "torch")


def test_a_call_by_gradviz_has_no_line_for_people() -> None:
    (found,) = gradviz.doctor(Nested, [[torch.ones(2, requires_grad=True)]])
    assert found.rule.id == "GV401"
    assert found.message.startswith("Nested.forward (line ")


def test_only_the_given_one_of_several_classes_with_a_name() -> None:
    class Twice(Function):  # gradviz: another one is above
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            g *= 2
            return g

    assert ids(Twice) == ["GV301"]
    assert ids(globals()["Twice"]) == ["GV101", "GV207"]


def test_a_bug_of_gradviz_is_not_taken_for_an_error_of_the_called_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names: dict[str, Any] = {}
    exec(compile("def bug(*_):\n    raise KeyError", recorded_call.__file__, "exec"), names)
    monkeypatch.setattr(recorded_call, "tensors_inside", names["bug"])
    origin = make_origin(title="", subject="", device="cpu")
    with pytest.raises(KeyError):
        recorded_call.trace_of_call(Twice, [torch.ones(1)], origin)


def test_an_error_that_c_raises_is_the_called_functions() -> None:
    origin = make_origin(title="", subject="", device="cpu")
    _, raised = recorded_call.trace_of_call(torch.mm, [torch.ones(1), torch.ones(1)], origin)
    assert isinstance(raised, RuntimeError)


def test_the_result_tells_which_rules_were_checked() -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    read, run = gradviz.doctor(Twice, select=["GV1"]), gradviz.doctor(Twice, x, select=["GV1"])
    unchecked = [rule.id for rule in read.coverage.unchecked]
    assert unchecked == ["GV103", "GV106"]
    assert run.coverage.unchecked == ()
    assert f"{len(unchecked)} rules need a run" in str(read)
    assert "in the source and in 1 call" in str(run)
    for result in (read, run):
        assert "Whether the gradients are right was not checked: gradviz.check" in str(result)
        assert repr(result).count("\n") == len(result) == 1
    assert copy.copy(run).coverage == run.coverage
    (nothing,) = str(gradviz.doctor(torch.sin)).split("\n")
    assert nothing.startswith("sin: nothing was checked")
