"""Whoever starts a process says what its standard input is.

A child that inherits the input of this process reads what is meant for it, such as a terminal or
the log of a test run.
"""

from __future__ import annotations

import ast

import pytest

from tests.architecture.layers import ROOT

STARTS = {"Popen", "run", "call", "check_call", "check_output"}
FOLDERS = ["gradviz", "tests", "tools", "benchmarks"]
# Programs as users write them.
USERS = ROOT / "tests" / "data" / "hostile"


def without_input(source: str) -> list[int]:
    """Lines that start a process, or a detached one of Qt, without an input of its own."""
    if "subprocess." not in source and "QProcess." not in source:
        return []  # Parsing all files takes seconds.
    calls = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Call)]
    return [call.lineno for call in calls if starts_process(call) and not has_input(call)]


def starts_process(call: ast.Call) -> bool:
    function = call.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    owner = function.value.id
    return (owner == "subprocess" and function.attr in STARTS) or (
        # The static method cannot set one.
        owner == "QProcess" and function.attr == "startDetached"
    )


def has_input(call: ast.Call) -> bool:
    return any(keyword.arg in ("stdin", "input") for keyword in call.keywords)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_child_has_an_input_of_its_own(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not path.is_relative_to(USERS)
        for line in without_input(path.read_text("utf-8"))
    ]
    assert found == []


def test_what_is_found() -> None:
    assert without_input("subprocess.run(['a'])") == [1]
    assert without_input("QProcess.startDetached('a', [])") == [1]
    assert without_input("subprocess.run(['a'], input='')") == []
    assert without_input("subprocess.Popen(['a'], stdin=subprocess.PIPE)") == []
