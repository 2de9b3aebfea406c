"""``gradviz doctor`` on a file: reports, selections and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.cli.main import main
from gradviz.export.doctor.junit import doctor_junit
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
    assert lines[0].startswith("faulty.py:13: GV301 error: Twice.backward (line 13) changes g ")
    assert lines[1:] == ["Found 1 error."]


def test_the_examples_run_as_well(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--format", "json", faulty]) == 2
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert_fits(document, "doctor")
    found = {(each["rule"], each["line"], each["evidence"]) for each in document["findings"]}
    assert ("GV101", 8, "run") in found
    assert ("GV301", 13, "source") in found
    # The gradient of a sum is expanded, so torch refuses to write to it.
    assert document["problems"][0].startswith("Twice was not run to its end: RuntimeError")
    assert "Twice was not run to its end" in printed.err


def test_selected_rules_only(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--no-run", "--select", "GV1", faulty]) == 0
    assert capsys.readouterr().out == "No problems found.\n"
    Path("pyproject.toml").write_text('[tool.gradviz]\nignore = ["GV3"]\n')
    assert main(["doctor", "--no-run", faulty]) == 0
    assert main(["doctor", "--no-run", "--ignore", "nothing", faulty]) == 2
    assert "no rule is called NOTHING" in capsys.readouterr().err


def test_sarif_names_rule_and_line(faulty: str) -> None:
    assert main(["doctor", "--no-run", "--format", "sarif", "-o", "out.sarif", faulty]) == 1
    (run,) = json.loads(Path("out.sarif").read_text())["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], result["level"]) == ("GV301", "error")
    assert place == {"artifactLocation": {"uri": "faulty.py"}, "region": {"startLine": 13}}
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["GV301"]


def test_junit_has_a_test_for_each_rule(faulty: str) -> None:
    assert main(["doctor", "--no-run", "--format", "junit", "-o", "out.xml", faulty]) == 1
    (suite,) = ElementTree.parse("out.xml").getroot()
    assert suite.get("tests") == str(len(DOCTOR_RULES))
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["grad_output_modified"]


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
    assert "Found 1 error." in printed.out
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
    assert lines == [("src/imports.py", 14), ("src/plain.py", 13)]
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    notes = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert [f"gradviz: {each}" for each in notes] == printed[1:]
    assert printed[0].startswith("gradviz: src/plain.py was only read, not run: ")
    assert "src/imports.py was only read: its examples could not run." in notes[0]
    assert "absent_module" in notes[0]
    assert "Use --time-limit to change the limit." in notes[1]
    assert notes[1].startswith("loop was not run to its end: ")
    assert "time limit of 1 s" in notes[1]


def test_junit_lists_what_could_not_be_examined() -> None:
    problem = Unexamined(path="absent.py", message="absent.py cannot be read")
    root = ElementTree.fromstring(doctor_junit([], ["here.py"], [problem]))
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
