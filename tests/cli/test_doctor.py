"""``gradviz doctor`` on a file: reports, selections and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.cli.main import main
from gradviz.export.doctor.junit import doctor_junit
from gradviz.export.doctor.text import doctor_lines
from gradviz.linter.coverage import Coverage
from gradviz.linter.selection import RuleSelection
from gradviz.linter.unexamined import Unexamined
from tests.schemas import assert_fits

FAULTY = """\
import torch
from torch.autograd import Function


class Twice(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x = x
        return 2 * x + y

    @staticmethod
    def backward(ctx, g):
        g *= 2
        return g, g, None  # gradviz: ignore[GV207]


x = torch.ones(3, dtype=torch.float64, requires_grad=True)
EXAMPLES = {"Twice": (x, x.detach().clone().requires_grad_())}
"""


def coverage(path: str, *, functions: int = 1, runs: int = 1, twice: bool = True) -> Coverage:
    return Coverage(
        paths=(path,),
        functions=functions,
        runs=runs,
        differentiates_twice=twice,
        not_run="" if runs else "no_examples",
        selection=RuleSelection(),
    )


@pytest.fixture(autouse=True)
def workers(warm_workers: None) -> None:
    """Workers are forked, except in tests that are about their start."""


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.chdir(tmp_path)
    return "faulty.py"


def test_findings_are_printed_like_those_of_a_compiler(
    faulty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--no-run", faulty]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("faulty.py:8: GV101 warning: Twice.forward (line 8) stores a ")
    assert lines[1].startswith("faulty.py:13: GV301 error: Twice.backward (line 13) changes g ")
    assert lines[2] == "Found 1 error and 1 warning."
    assert lines[3].startswith("faulty.py: ")
    assert lines[-1].startswith("Whether the gradients are right was not checked: gradviz check f")


def test_the_examples_run_as_well(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--format", "json", faulty]) == 1
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert_fits(document, "doctor")
    found = {(each["rule"], each["line"], each["evidence"]) for each in document["findings"]}
    assert ("GV101", 8, "source") in found
    # The gradient of a sum is expanded, so torch refuses to write to it, which this explains.
    assert ("GV301", 13, "run") in found
    assert document["problems"] == []
    assert printed.err == ""


def test_selected_rules_only(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--no-run", "--select", "GV2", faulty]) == 0
    count = sum(rule.id.startswith("GV2") and "source" in rule.evidence for rule in DOCTOR_RULES)
    said = capsys.readouterr().out.splitlines()[0]
    assert said == f"No problems found by the {count} rules that were checked."
    Path("pyproject.toml").write_text('[tool.gradviz]\nignore = ["GV3", "GV101"]\n')
    assert main(["doctor", "--no-run", faulty]) == 0
    assert main(["doctor", "--no-run", "--ignore", "nothing", faulty]) == 2
    assert "There is no rule NOTHING" in capsys.readouterr().err


def test_sarif_names_rule_and_line(faulty: str) -> None:
    assert main(["doctor", "--no-run", "-o", "out.sarif", faulty]) == 1
    (run,) = json.loads(Path("out.sarif").read_text())["runs"]
    first, result = run["results"]
    assert (first["ruleId"], first["level"]) == ("GV101", "warning")
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], result["level"]) == ("GV301", "error")
    assert place == {"artifactLocation": {"uri": "faulty.py"}, "region": {"startLine": 13}}
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["GV101", "GV301"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    (coverage,) = run["properties"]["coverage"]
    assert note["level"] == "note"
    assert note["message"]["text"] == f"{coverage['message']} {run['properties']['values']}"
    assert run["invocations"][0]["executionSuccessful"]


def test_junit_has_a_test_for_each_rule(faulty: str) -> None:
    assert main(["doctor", "--no-run", "-o", "out.xml", faulty]) == 1
    (suite,) = ElementTree.parse("out.xml").getroot()
    assert suite.get("tests") == str(len(DOCTOR_RULES))
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["tensor_on_ctx", "grad_output_modified"]
    skipped = [case.get("classname") for case in suite if case.find("skipped") is not None]
    # Nothing was run, so what a run would show is unknown.
    assert skipped == [rule.id for rule in DOCTOR_RULES if "source" not in rule.evidence]
    assert suite.get("skipped") == str(len(skipped))


def test_what_cannot_be_examined(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["absent.py"], ["faulty"], []):
        assert main(["doctor", *arguments]) == 2
    assert capsys.readouterr().err.count("gradviz: ") == 3
    assert main(["doctor", "--rules"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(DOCTOR_RULES)


def test_a_file_that_cannot_be_read_or_parsed_stops_nothing(
    faulty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("invalid.py").write_text("x = 1\nclass F(:\n")
    Path("long.py").write_text("x = " + "+".join("1" * 20_000))
    assert main(["doctor", "--no-run", "long.py"]) == 2
    # Nothing is known about it, so nothing is said to be without problems.
    assert capsys.readouterr().out == ""
    arguments = ["doctor", "--no-run", "absent.py", "invalid.py", faulty, faulty]
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert "Found 1 error and 1 warning." in printed.out
    assert [line.split(" cannot")[0] for line in printed.err.splitlines()] == [
        "gradviz: absent.py",
        "gradviz: invalid.py:2",
    ]


def test_a_folder_and_what_could_not_be_run(
    faulty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("src/.hidden").mkdir(parents=True)
    body = FAULTY.partition("x = torch")[0]
    Path("src/plain.py").write_text(body)
    Path("src/.hidden/other.py").write_text(body)
    Path("src/imports.py").write_text(f"import absent_module\n{body}EXAMPLES = {{}}\n")
    loop = "def loop(x):\n    while True:\n        x = x + 0\n"
    Path("src/loops.py").write_text(f"import torch\n{loop}EXAMPLES = {{'loop': torch.ones(1)}}\n")
    arguments = ["doctor", "--time-limit", "1", "--format", "sarif", "-o", "out.sarif"]
    # Two of its files are named as well, in other words.
    assert main([*arguments, "src", "./src/plain.py:Twice", "src/../src/imports.py"]) == 2
    printed = capsys.readouterr().err.splitlines()
    (run,) = json.loads(Path("out.sarif").read_text())["runs"]
    places = [each["locations"][0]["physicalLocation"] for each in run["results"]]
    lines = [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in places]
    assert lines == [
        ("src/imports.py", 9),
        ("src/imports.py", 14),
        ("src/plain.py", 8),
        ("src/plain.py", 13),
    ]
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    notes = [
        each["message"]["text"]
        for each in invocation["toolExecutionNotifications"]
        if each["level"] == "error"
    ]
    assert [f"gradviz: {each}" for each in notes] == printed[1:]
    assert printed[0].startswith("gradviz: src/plain.py was only read, not run: ")
    assert "src/imports.py was only read: its examples could not run." in notes[0]
    assert "absent_module" in notes[0]
    assert "Use --time-limit to change the limit." in notes[1]
    assert notes[1].startswith("loop was not run to its end: ")
    assert "time limit of 1 s" in notes[1]


def test_junit_lists_what_could_not_be_examined() -> None:
    problem = Unexamined(path="absent.py", message="absent.py cannot be read")
    root = ElementTree.fromstring(doctor_junit([], [coverage("here.py")], [problem]))
    here, absent = root
    assert (here.get("errors"), absent.get("errors"), absent.get("tests")) == ("0", "1", "1")
    error = absent.find("testcase/error")
    assert error is not None
    assert error.get("message") == "absent.py cannot be read"


def test_names_in_sarif_are_uris(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(faulty).rename("my \u00fc.py")
    assert main(["doctor", "--no-run", "--format", "sarif", "my \u00fc.py"]) == 1
    assert '"uri": "my%20%C3%BC.py"' in capsys.readouterr().out


def test_a_function_of_an_imported_file(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("package").mkdir()
    source = FAULTY.replace("g *= 2", "g = g * 2").partition("x = torch")[0]
    Path("package/functions.py").write_text(source)
    imports = (
        "from package.functions import Twice\n" + "x = torch" + FAULTY.partition("x = torch")[2]
    )
    Path("main.py").write_text("import torch\n" + imports)
    assert main(["doctor", "main.py:Twice"]) == 1
    assert capsys.readouterr().out.startswith("package/functions.py:8: GV101 warning: ")
    assert main(["doctor", "main.py:Thrice"]) == 2
    Path("package/functions.py").write_text(
        source.replace("(ctx, x, y):", "(ctx, x, y):  # gradviz: ignore[GV1]")
    )
    assert main(["doctor", "main.py"]) == 0


@pytest.mark.parametrize("functions", [0, 1, 3])
@pytest.mark.parametrize("runs", [0, 2])
@pytest.mark.parametrize("twice", [False, True])
def test_each_rule_was_checked_or_is_named_with_what_it_needs(
    functions: int, runs: int, twice: bool
) -> None:
    looked = coverage("net.py", functions=functions, runs=runs, twice=twice and bool(runs))
    assert {*looked.checked, *looked.unchecked} == {*DOCTOR_RULES}
    assert not {*looked.checked} & {*looked.unchecked}
    said = list(doctor_lines([], [looked]))
    if functions or runs:
        text = "\n".join(said)
        assert [rule.id for rule in DOCTOR_RULES if rule.id not in text] == [
            rule.id for rule in looked.checked
        ]
        assert said[0] == f"No problems found by the {len(looked.checked)} rules that were checked."
        assert said[-1].endswith("gradviz check net.py compares them with numerical ones.")
    else:
        assert len(said) == 1
        assert said[0].startswith("net.py: nothing was checked")


def test_files_of_which_the_same_is_known_are_one_line() -> None:
    said = list(doctor_lines([], [coverage("a.py"), coverage("b.py"), coverage("c.py", runs=0)]))
    assert [line.partition(":")[0] for line in said if "rules were" in line and ": " in line] == [
        "2 files",
        "c.py",
    ]


@pytest.mark.parametrize(
    ("rule", "call"),
    [
        ("GV410", "Twice()(x)"),  # Torch raises at the line that was read.
        ("GV108", "Twice.apply(x).sum().backward()"),  # Torch's message is the rule's.
        ("", "absent(x)"),
    ],
)
def test_a_violation_that_stops_a_file_from_loading_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rule: str, call: str
) -> None:
    unpacks = "ctx.saved_tensors" if rule == "GV108" else "1, 2"
    code = FAULTY.replace("(ctx, x, y)", "(ctx, x)").replace("2 * x + y", "2 * x")
    code = code.replace("ctx.x = x", "ctx.save_for_backward(x)")
    code = code.replace("g *= 2", f"one, other = {unpacks}").replace("g, g, None", "2 * g")
    (tmp_path / "raises.py").write_text(f"{code}\n{call}\n")
    arguments = ["doctor", str(tmp_path / "raises.py"), "--format", "json", "--ignore", "GV3"]
    assert main(arguments) == (1 if rule else 2)
    printed = capsys.readouterr()
    found = json.loads(printed.out)["findings"]
    observed = [each for each in found if each["evidence"] != "source"]
    assert [(each["rule"], each["severity"]) for each in observed] == [(rule, "error")] * bool(rule)
    assert "its examples could not run" in printed.err


def test_outputs_in_a_list_explain_why_backward_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = FAULTY.replace("return 2 * x + y", "return [2 * x + y]").replace("g *= 2", "g = 2 * g")
    first = "def first(*xs):\n    return Twice.apply(*xs)[0]\n\n\nx = torch"
    Path("net.py").write_text(source.replace("x = torch", first).replace('"Twice"', '"first"'))
    assert main(["doctor", "--select", "GV4", "net.py"]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("net.py:9: GV406 error: Twice.forward (line 9) returns tensors ")
    assert printed.err == ""
