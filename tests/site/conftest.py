"""The built site, served as on the web."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.site.pages import ROOT

BUILT = ROOT / "build" / "docs" / "site"


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        del arguments


@pytest.fixture(scope="session")
def built_site() -> Path:
    """The folder of the site, which `make docs` builds in an environment of its own."""
    if not (BUILT / "index.html").is_file():
        pytest.skip("needs a site, which `make docs` builds")
    return BUILT


@pytest.fixture(scope="module")
def site_address(built_site: Path) -> Iterator[str]:
    handler = partial(_QuietHandler, directory=str(built_site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
