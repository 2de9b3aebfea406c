"""Runs of the cells of a notebook, without Jupyter."""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from gradviz.catalogue.messages import say
from gradviz.model.inputs import BackwardStart, Offer, RunSubject
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.worker.notebook.notebook_file import (
    Notebook,
    NotebookCell,
    cell_title,
    read_notebook,
)
from gradviz.worker.signature import CallTarget
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error, error_line


def cell_offers(notebook: Notebook) -> tuple[Offer, ...]:
    """One offer for each cell; it runs the cells above it first, without recording them."""
    return tuple(
        Offer(
            subject=RunSubject(path=notebook.path, name=each.name),
            title=say("notebook.offer", cell=cell_title(each), summary=each.summary),
            inputs=(),
            start=BackwardStart(gradient="nothing"),
            line=each.line,
            opens=each == notebook.main_cell,
        )
        for each in notebook.cells
        if each.has_code
    )


def load_cell(path: str, name: str) -> CallTarget:
    """Run the cells above a cell, and return what runs the cell itself.

    Raises:
        WorkError: If there is no such cell, or one above it raises.
    """
    notebook = read_notebook(path)
    names = [each.name for each in notebook.cells]
    if name not in names:
        file = Path(path).name
        raise WorkError(say("target.undefined", file=file, name=f"{name!r:.60}"))
    # Python, and therefore the recorder, looks here for the text of code that is in no file.
    lines = notebook.text.splitlines(keepends=True)
    linecache.cache[notebook.path] = (len(notebook.text), None, lines, notebook.path)
    module = ModuleType(f"gradviz_notebook_{Path(path).stem}")
    module.__file__ = notebook.path
    # What Jupyter adds to the names of a cell.
    vars(module)["display"] = print
    sys.modules[module.__name__] = module
    sys.path.insert(0, os.path.dirname(notebook.path))
    cell, *above = reversed(notebook.cells[: names.index(name) + 1])
    for each in reversed(above):
        with CaughtError() as caught:
            _runner(notebook.path, each, module)()
        if caught.error is not None:
            raise _failed(notebook.path, each, caught.error) from caught.error
    with CaughtError() as caught:
        run = _runner(notebook.path, cell, module)
    if caught.error is not None:
        raise _failed(notebook.path, cell, caught.error) from caught.error
    return CallTarget(name=name, thing=run, call=run, path=notebook.path, line=cell.line)


@calls_user_code
def _runner(path: str, cell: NotebookCell, module: ModuleType) -> Callable[[], None]:
    try:
        tree = ast.parse(cell.text, path)
    except SyntaxError as error:
        error.lineno = (error.lineno or 1) + cell.line - 1
        raise
    code = compile(ast.increment_lineno(tree, cell.line - 1), path, "exec", dont_inherit=True)

    def run() -> None:
        exec(code, vars(module))

    return run


def _failed(path: str, cell: NotebookCell, error: BaseException) -> WorkError:
    sentence = say("notebook.failed", cell=cell_title(cell), error=describe_error(error, path))
    return WorkError(sentence, error_line(error, path))
