"""Checks that rules only read the syntax trees that they share."""

from __future__ import annotations

import ast

from gradviz.analysis.source_statements import parse_source


def assert_unchanged(text: str) -> None:
    """Compare the tree that everybody has of a text with what the text says."""
    shared = parse_source(text)
    assert shared is not None
    fresh = ast.dump(ast.parse(text), include_attributes=True)
    assert ast.dump(shared, include_attributes=True) == fresh
