"""What the scenes and programs of the guide did."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.guide.recordings import Recordings


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recordings]:
    """Each is recorded once for all tests."""
    made = Recordings(tmp_path_factory.mktemp("guide"))
    yield made
    made.close()
