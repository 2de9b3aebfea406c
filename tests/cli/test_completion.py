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
complete_words gradviz export pyproject.t
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
    ]
    assert done.stderr == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_accepts_its_script(shell: Shell) -> None:
    script = script_of(shell)
    assert "linear-squeeze-one" in script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=script, text=True, check=True)
