"""What a file defines and does is read from its text; running it finds the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.linter.file_outline import FileOutline, read_outline

IMPORTS = """
import torch
import torch.nn as nn
from torch import nn as layers
from torch.autograd import Function as F
from torch.autograd import function
from sympy import Function
"""


def outline(folder: Path, text: str) -> FileOutline:
    path = folder / "file.py"
    path.write_text(text)
    found = read_outline(path)
    assert found is not None
    return found


DEFINED = {
    "class A(torch.autograd.Function): pass": ["A"],
    "class A(F): pass": ["A"],
    "class A(function.Function): pass": ["A"],
    "class A(Function): pass": [],
    "from torch.autograd import *\nclass A(Function): pass": ["A"],
    "class A(F): pass\nclass B(A): pass": ["A", "B"],
    "Base = torch.autograd.Function\nclass A(Base): pass": ["A"],
    "class A(nn.Module): pass\nclass B(layers.Linear): pass": ["A", "B"],
    "class A(nn.Parameter): pass\nclass B(Exception): pass\nclass C: pass": [],
    "class A(nn.Module): pass\na = A(3).double()": ["a"],
    "class A(nn.Module): pass\nn = A(3).count()": ["A"],
    "class _A(F): pass\ndef _f(x): pass\nasync def g(x): pass": [],
    "def f(x): pass\nclass A(F): pass": ["A", "f"],
    "@torch.no_grad()\ndef f(x): pass\n@other\ndef g(x): pass\ndef examples(): pass": ["f"],
    "if x:\n    class A(F): pass": [],
    "class A(F): pass\nA = wrapped(A)": [],
}


@pytest.mark.parametrize("text", DEFINED)
def test_definitions_that_are_certain_are_found(tmp_path: Path, text: str) -> None:
    offers = outline(tmp_path, IMPORTS + text).offers
    assert [each.title for each in offers] == DEFINED[text]
    assert all(each.is_from_text and each.line > IMPORTS.count("\n") for each in offers)


WORK = {
    "x.sum().backward()": 1,
    "x = 1\n(x * 2).sum().backward()": 2,
    "losses[0].backward()": 1,
    "import os, sys\nsys.exit(3)": 2,
    "import os, sys\nos._exit(3)": 2,
    "import a\nfor i in range(3):\n    step(i)": 2,
    "def main(): pass\nsys.exit(main())": 2,
    "while True:\n    train()": 1,
    "def main(): pass\nmain()": 2,
    "def main(): pass\nwith torch.no_grad():\n    if a:\n        main()": 4,
    "args = argparse.ArgumentParser().parse_args()": 1,
    "name = input('name')": 1,
    "ok = torch.autograd.gradcheck(f, x)": 1,
    "def main():\n    x.backward()\nclass A:\n    x.backward()": 0,
    "if __name__ == '__main__':\n    main()": 0,
    "def f(x): pass\ntorch.manual_seed(0)\nx = f(torch.randn(3))\nprint(f(x))": 0,
    "for i in range(3):\n    table[i] = i * i": 0,
    "f = lambda x: x.backward()": 0,
}


@pytest.mark.parametrize("text", WORK)
def test_work_at_the_top_level_is_found(tmp_path: Path, text: str) -> None:
    found = outline(tmp_path, text)
    assert found.work_line == WORK[text]
    assert found.has_main_block == ("__name__" in text)
    assert not found.declares_examples
    assert outline(tmp_path, f"{text}\nEXAMPLES = {{}}").declares_examples


@pytest.mark.parametrize("content", [b"x = (", b"\0", b"# coding: nonsense\n", None])
def test_a_file_that_cannot_be_parsed_has_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "file.py"
    if content is not None:
        path.write_bytes(content)
    assert read_outline(path) is None
    path.write_bytes(b"\xef\xbb\xbf# " + b"\xc3\xa4" * 9)
    assert read_outline(path) is not None
    assert read_outline(path, most_bytes=8) is None
