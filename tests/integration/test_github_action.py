"""The scripts of the GitHub action, run with bash as a runner does."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / ".github/actions/gradviz/action.yml").read_text(encoding="utf-8")

OPS = """
import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.{how}
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        {reads}
        return {factor} * grad_output * x

EXAMPLES = {{"Square": (torch.rand(3, dtype=torch.float64, requires_grad=True),)}}
"""
GOOD = OPS.format(how="save_for_backward(x)", reads="(x,) = ctx.saved_tensors", factor=2)
BAD = OPS.format(how="x = x", reads="x = ctx.x", factor=3)

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def script_of(step: str) -> str:
    """The lines that a step of the action runs."""
    found = re.search(
        rf"- name: {step}\n(?:      .*\n)*?      run: \|\n((?:        .*\n)+)", ACTION
    )
    assert found is not None
    return textwrap.dedent(found[1])


def run(step: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / "bin").mkdir(exist_ok=True)
    python = folder / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(
        # As GitHub runs `shell: bash`.
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script_of(step)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("source", "code", "found"),
    [pytest.param(GOOD, 0, set(), marks=pytest.mark.sweep), (BAD, 1, {"GV101"})],
)
def test_the_doctor_writes_sarif_and_fails_for_findings(
    tmp_path: Path, source: str, code: int, found: set[str]
) -> None:
    (tmp_path / "ops.py").write_text(source)
    ran = run("Doctor", tmp_path, SUBJECTS="ops.py", OPTIONS="--ignore GV3", REPORT="found.sarif")
    assert ran.returncode == code, ran.stderr
    (report,) = json.loads((tmp_path / "found.sarif").read_text())["runs"]
    assert {each["ruleId"] for each in report["results"]} == found
    assert all(rule in ran.stdout for rule in found)


@pytest.mark.parametrize(
    ("source", "code"), [pytest.param(GOOD, 0, marks=pytest.mark.sweep), (BAD, 1)]
)
def test_checks_write_junit_and_fail_for_wrong_gradients(
    tmp_path: Path, source: str, code: int
) -> None:
    (tmp_path / "ops.py").write_text(source)
    ran = run("Check", tmp_path, SUBJECTS="ops.py", OPTIONS="--order both", REPORT="checks.xml")
    assert ran.returncode == code, ran.stderr
    suite = ElementTree.parse(tmp_path / "checks.xml")
    suites = [each.get("name") for each in suite.iter("testsuite")]
    assert suites == ["ops.py:Square", "ops.py:Square, order 2"]
    assert bool(list(suite.iter("failure"))) == bool(code)


def test_the_scripts_get_inputs_by_variables_only() -> None:
    inputs = set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", ACTION))
    assert inputs == set(re.findall(r"^  ([\w-]+):\n    description:", ACTION, re.MULTILINE))
    for step in ("Doctor", "Check"):
        # Expressions are pasted into the text of a script, in which they could be commands.
        assert "${{" not in script_of(step)
