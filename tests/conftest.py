"""Fixtures of every test: offscreen Qt, empty settings, and a search for leftovers."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from pytestqt.qtbot import QtBot

# Before anything imports Qt: the platform is chosen when the application is made.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Texts are compared in English, whatever the developer's language is.
os.environ["LC_ALL"] = "C.UTF-8"

from gradviz.drawing.graphviz import layout_engine
from gradviz.drawing.graphviz.layout_engine import LayoutEngine
from tests.fork_server import SUPPORTED, ForkServer, forked_workers
from tests.leftovers import (
    LogWatch,
    qt_is_running,
    remove_abandoned,
    wait_for_leftovers,
    what_runs,
)

# A busy machine is no defect of the code.
settings.register_profile("gradviz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gradviz")
for _wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitExposed, QtBot.waitActive):
    _wait.__kwdefaults__["timeout"] = 60_000

# A shell script's background job ignores it, and so would all processes of the tests.
signal.signal(signal.SIGINT, signal.default_int_handler)

# While thousands of tests are collected there is nothing to free; see `collector_between_tests`.
gc.disable()

_MEMORY = "/dev/shm"
_SETTINGS = "gradviz-settings-"
_numbers = itertools.count()
_layouts: dict[tuple[str, LayoutEngine], bytes] = {}
_run_engine = layout_engine.run_engine


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("xcb") and os.environ["QT_QPA_PLATFORM"] != "xcb":
        pytest.skip("needs a display: tools/test.sh runs it under Xvfb")
    if item.get_closest_marker("accelerator"):
        import torch

        if not torch.accelerator.is_available():
            pytest.skip("needs an accelerator: tools/test.sh simulates one")


def pytest_collection_finish() -> None:
    """Keep the collector off all that was collected, and route torch's records to the root.

    torch has forty loggers. If their records don't reach the root, where pytest listens, pytest
    adds its two handlers to each of them and removes them, three times a test.
    """
    # Without a search for garbage, which takes more than a second and finds little.
    gc.freeze()
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.propagate = True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """With `--durations`, also list the slowest files: many quick tests take long together."""
    if not terminalreporter.config.option.durations:
        return
    seconds = Counter[str]()
    for report in itertools.chain(*terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section("slowest 20 files")
    for path, duration in seconds.most_common(20):
        terminalreporter.write_line(f"{duration:8.1f}s {path}")


@pytest.fixture
def accelerator_with_float64() -> None:
    import torch

    from tests.accelerator import needs

    needs("float64", lambda device: torch.ones(1, dtype=torch.float64, device=device))


@pytest.fixture(scope="module", autouse=True)
def frozen_heap() -> None:
    """The collector does not walk torch, all collected items and what earlier tests keep."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def collector_between_tests() -> Iterator[None]:
    """As in the window: collecting in another thread would delete Qt objects outside their own."""
    gc.disable()
    yield
    gc.collect(1)


@pytest.fixture(scope="session")
def heap_stays_frozen() -> Iterator[None]:
    """A closing window would thaw the heap, and walking all of it takes more than a second."""
    from gradviz.viewer import gc_policy

    kept = ("isenabled", "enable", "disable", "collect", "get_count")
    # Counting what is frozen walks all of it, too.
    nothing = {"freeze": lambda: None, "unfreeze": lambda: None, "get_freeze_count": lambda: 0}
    collector = SimpleNamespace(**nothing)
    vars(collector).update({name: getattr(gc, name) for name in kept})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc_policy, "gc", collector)
        yield


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer | None]:
    """A warm process to fork children from; None where that is not possible."""
    if not SUPPORTED:
        yield None
        return
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def warm_workers(request: pytest.FixtureRequest, fork_server: ForkServer | None) -> Iterator[None]:
    """Fork workers instead of starting them, unless the test is marked `real_workers`."""
    real = request.node.get_closest_marker("real_workers") is not None
    with forked_workers(None if real else fork_server):
        yield


@pytest.fixture
def known_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphviz lays out each graph once, as most tests show one of a few scenes."""
    monkeypatch.setattr(layout_engine, "run_engine", _run_engine_once)


def _run_engine_once(source: str, engine: LayoutEngine, **options: Any) -> bytes:
    if (source, engine) not in _layouts:
        _layouts[source, engine] = _run_engine(source, engine, **options)
    return _layouts[source, engine]


@pytest.fixture(scope="session")
def settings_root() -> Iterator[Path]:
    """A folder in memory if possible, because Qt waits for the disk whenever a setting changes."""
    in_memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    remove_abandoned(Path(in_memory or tempfile.gettempdir()), _SETTINGS)
    prefix = f"{_SETTINGS}{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=in_memory) as folder:
        yield Path(folder)


@pytest.fixture(autouse=True)
def fresh_settings(
    settings_root: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Each test, and each process it starts, begins without any stored settings."""
    root = settings_root / str(next(_numbers))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(root / variable.lower()))
    if _uses_qt(request) or qt_is_running():
        from PySide6.QtCore import QSettings

        for kind in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
            QSettings.setPath(kind, QSettings.Scope.UserScope, str(root / "qt"))
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)


def _uses_qt(request: pytest.FixtureRequest) -> bool:
    return "qapp" in request.fixturenames


@pytest.fixture(autouse=True)
def nothing_left_behind(fresh_settings: None, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, a child process, a timer or a Qt job running."""
    before = what_runs(qt=_uses_qt(request))
    yield
    left = wait_for_leftovers(before)
    if left:
        pytest.fail("left running: " + "; ".join(left), pytrace=False)


@pytest.fixture(autouse=True)
def released_mouse(request: pytest.FixtureRequest) -> Iterator[None]:
    """Release the mouse: after a double click, QTest leaves the button pressed for later tests."""
    yield
    if _uses_qt(request):
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication, QWidget

        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            QTest.mouseRelease(QWidget(), Qt.MouseButton.LeftButton)
        assert QApplication.mouseButtons() == Qt.MouseButton.NoButton


@pytest.fixture(autouse=True)
def no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test in which gradviz logs a warning, unless the test reads the log itself."""
    with LogWatch("gradviz") as watch:
        yield
    if watch.messages and "caplog" not in request.fixturenames:
        pytest.fail("unexpected log: " + "; ".join(watch.messages), pytrace=False)
