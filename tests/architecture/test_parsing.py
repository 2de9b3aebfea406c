"""One function parses the user's code where no user code runs: it survives whatever it is given."""

from __future__ import annotations

import ast

from tests.architecture.modules import modules, nodes_of

ALLOWED = {
    "analysis/source_statements.py": "the function",
    "cli/doctor.py": "says in which line the mistake is",
    "worker/load.py": "in a child process, which runs the code",
    "worker/notebook/cell_run.py": "in a child process, which runs the code",
    "worker/notebook/notebook_file.py": "in a child process, which runs the code",
}


def test_only_one_function_parses() -> None:
    found = {
        str(each.path)
        for each in modules().values()
        for node in nodes_of(each.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ast.parse"
    }
    assert found == ALLOWED.keys()
