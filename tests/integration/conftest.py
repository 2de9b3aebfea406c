"""Fixtures that send real requests to real workers."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def workers(warm_workers: None) -> None:
    """Workers are forked, except in tests that are about their start."""
