"""The exported page of a comparison, in the background while the window goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.analysis.compare.run_comparison import compare_runs
from gradviz.analysis.index.trace_index import index_reader
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError
from gradviz.store.reader import open_trace
from gradviz.viewer.files.run_export import ShownRun, write_page
from tests.builders import linear_trace, write_trace


def test_a_page_is_not_written_without_the_values_of_a_run_that_was_closed(tmp_path: Path) -> None:
    path, out = write_trace(tmp_path / "run.gradviz", linear_trace()), tmp_path / "run.html"
    with open_trace(path) as left, open_trace(path) as right:
        index = index_reader(left)
        run = ShownRun(
            index=index,
            place=None,
            level="node",
            folds=FoldState(),
            comparison=compare_runs(index, index_reader(right)),
            readers=(left, right),
        )
        write_page(run, out)
        before = out.read_bytes()
        assert b"bitwise equal in all 8 steps" in before
        right.close()
        with pytest.raises(ExportError, match="closed before its export was done"):
            write_page(run, out)
        assert out.read_bytes() == before
