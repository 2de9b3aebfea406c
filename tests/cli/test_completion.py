"""Completion of the command line in shells."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from gradviz.cli.completion import SHELLS, Shell, completion_script
from gradviz.cli.parser import make_parser

COMPLETE = """
eval "$(cat)"
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _shtab_gradviz
    echo "${COMPREPLY[@]}"
}
complete_words gradviz scre
complete_words gradviz record linear-sq
complete_words gradviz check --vari
complete_words gradviz screenshot linear --tab jac
complete_words gradviz export linear -o pyproject.t
complete_words gradviz export lect
complete_words gradviz lesson a-w
complete_words gradviz guide cube-w
complete_words gradviz guide pyproject.t
complete_words gradviz doctor linear-sq
complete_words gradviz doctor pyproject.t
complete_words gradviz doctor --select GV10
complete_words gradviz doctor --ignore GV301,GV60
complete_words gradviz screenshot linear --with linear-sq
"""


def script_of(shell: Shell) -> str:
    return completion_script(shell, make_parser().complete())


def test_bash_completes_verbs_scenes_options_values_and_files() -> None:
    done = subprocess.run(
        ["bash", "-c", COMPLETE], input=script_of("bash"), capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "screenshot",
        "linear-squeeze linear-squeeze-one",
        "--variations",
        "jacobians",
        "pyproject.toml",
        "lecture",
        "a-wrong-gradient",
        "cube-wrong cube-wrong-alone",
        "",
        "",
        "pyproject.toml",
        "GV101 GV102 GV103 GV104 GV105 GV106 GV107 GV108 GV109",
        "GV301,GV601 GV301,GV602 GV301,GV603 GV301,GV604 GV301,GV605 GV301,GV606",
        "linear-squeeze linear-squeeze-one",
    ]
    assert done.stderr == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_accepts_its_script(shell: Shell) -> None:
    script = script_of(shell)
    assert "linear-squeeze-one" in script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=script, text=True, check=True)
