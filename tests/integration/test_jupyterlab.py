"""Recordings in JupyterLab: their pages step, are saved, and have a plain form without trust."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium"),
    pytest.mark.skipif(
        not all(map(find_spec, ("jupyterlab", "ipykernel"))),
        reason="needs jupyterlab and ipykernel: .ci/try-notebook installs them",
    ),
]
LIMIT_S = 120
SOURCES = (
    "import torch, gradviz\n"
    "x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)\n"
    "with gradviz.record(level='all') as recording:\n"
    "    (x @ x).sum().backward()\n"
    "recording",
    "%load_ext gradviz",
    "%%gradviz\n(x * 2).exp().sum().backward()",
    "gradviz.check(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))",
)


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def notebook(sources: tuple[str, ...]) -> dict[str, Any]:
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{at}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": source,
        }
        for at, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def count_outputs(path: Path) -> int:
    """Number of outputs in a notebook; 0 while it is being written."""
    try:
        cells = json.loads(path.read_text())["cells"]
    except json.JSONDecodeError:
        return 0
    return sum(len(cell["outputs"]) for cell in cells)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks/run.ipynb").write_text(json.dumps(notebook(SOURCES)))
    return tmp_path / "notebooks"


@pytest.fixture
def server(folder: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab that reads and writes no one's settings."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own = {
        name: str(tmp_path / name)
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            *(f"--ServerApp.root_dir={folder}", f"--port={port}", "--ServerApp.port_retries=0"),
            *("--IdentityProvider.token=", "--LabApp.extension_manager=readonly"),
        ],
        stdin=subprocess.DEVNULL,
        env=os.environ | own | {"JUPYTER_NO_CONFIG": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert process.poll() is None
        try:
            urllib.request.urlopen(f"{address}/api/status").close()
        except OSError:
            return False
        return True

    try:
        wait_until(answers)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            # On a busy machine, a server was seen to end its kernels and then to hang.
            process.kill()
            process.wait()


@pytest.fixture
def tab(server: str) -> Iterator[Any]:
    """A tab of a browser that takes light or dark from the page, as a person's does."""
    with sync_api.sync_playwright() as playwright:
        # As root, Chromium does not start with its sandbox.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": 1440, "height": 1900}, color_scheme="null", base_url=server
        )
        context.set_default_timeout(1000 * LIMIT_S)
        yield context.new_page()
        browser.close()


@pytest.mark.timeout(4 * LIMIT_S)
def test_recordings_step_in_jupyterlab(tab: Any, folder: Path) -> None:
    tab.goto("/lab/tree/run.ipynb?reset")
    tab.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    tab.locator(".jp-Cell .jp-InputArea-editor").first.click()
    tab.locator("body").press("ControlOrMeta+Home")
    for _ in SOURCES:
        tab.keyboard.press("Shift+Enter")
    one, two = (tab.frame_locator(".gradviz-page").nth(at) for at in (0, 1))
    tab.locator(".gradviz img:visible").wait_for()
    assert one.locator("#sentence").text_content().startswith("matmul takes x 2×2 and x 2×2")

    one.locator("#sentence").click()
    tab.keyboard.press("ArrowRight")
    two.locator("#last").click()
    assert one.locator("#position").text_content() == "2 / 7"
    assert two.locator("#position").text_content() == "9 / 9"
    assert tab.locator(".jp-Cell").count() == len(SOURCES) + 1  # The keys were not the notebook's.

    background = "e => getComputedStyle(e).backgroundColor"
    light = one.locator("html").evaluate(background)
    tab.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert one.locator("html").evaluate(background) != light

    tab.locator(".jp-Cell .jp-InputArea-editor").last.click()
    tab.keyboard.press("ControlOrMeta+s")
    wait_until(lambda: count_outputs(folder / "run.ipynb") == 3)
    tab.goto("/lab/tree/run.ipynb?reset")
    one.locator("#next").click()
    assert one.locator("#position").text_content() == "2 / 7"

    # With fewer cells, the notebook is not the one that this server has signed.
    saved = json.loads((folder / "run.ipynb").read_text())
    del saved["cells"][1:3]
    (folder / "other.ipynb").write_text(json.dumps(saved))
    tab.goto("/lab/tree/other.ipynb?reset")
    tab.get_by_text("x.grad is set to the 2×2 gradient.").first.wait_for()
    assert tab.locator("iframe").count() == 0
    graph = tab.locator(".jp-OutputArea img").first
    assert graph.evaluate("image => image.decode().then(() => image.naturalHeight)") > 400
    assert "AccumulateGrad" not in tab.locator(".jp-OutputArea").first.inner_text()
    check = tab.locator(".jp-OutputArea .gradviz").last
    maps = check.locator("img:visible")
    assert maps.evaluate("image => image.decode().then(() => image.naturalHeight)") > 100
    assert "below 0" not in check.inner_text()
