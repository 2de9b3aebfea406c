"""The examples in the docstrings of the Python interface give what they show."""

from __future__ import annotations

import doctest

import pytest

from gradviz.api import check, graph, record, result


@pytest.mark.parametrize("module", [check, graph, record, result], ids=lambda each: each.__name__)
def test_examples_give_what_they_show(module: object) -> None:
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed
