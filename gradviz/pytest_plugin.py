"""Entry point of the pytest plugin. It imports nothing of gradviz until it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gradviz.testing.fixture import GradvizFixture


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options. Their help is not in the catalogue, which would have to be imported."""
    group = parser.getgroup("gradviz")
    group.addoption(
        "--gradviz",
        action="store_true",
        help="write a trace and a diagnosis for every failing gradcheck and every NaN gradient",
    )
    group.addoption(
        "--gradviz-dir",
        metavar="DIR",
        default="gradviz-traces",
        help="folder for the traces of --gradviz (default: %(default)s)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before a conftest imports gradcheck by name."""
    options = early_config.known_args_namespace
    if not options.gradviz:
        return
    from gradviz.catalogue.optional_packages import missing_packages
    from gradviz.testing.summary import TraceSummary

    if missing := missing_packages("record"):
        raise pytest.UsageError(missing)
    start = early_config.invocation_params.dir
    early_config.pluginmanager.register(TraceSummary(start), "gradviz_summary")
    # Set by xdist in the processes that run the tests.
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker or not getattr(options, "numprocesses", None):
        from gradviz.testing.watch import PLUGIN_NAME, TestWatch

        watch = TestWatch(start / options.gradviz_dir, worker)
        early_config.pluginmanager.register(watch, PLUGIN_NAME)


@pytest.fixture(name="gradviz")
def gradviz_fixture(request: pytest.FixtureRequest) -> Iterator[GradvizFixture]:
    """Record a part of a test with record(), or check gradients with check(fn, inputs)."""
    from gradviz.testing.fixture import GradvizFixture
    from gradviz.testing.watch import PLUGIN_NAME

    with GradvizFixture(request.config.pluginmanager.get_plugin(PLUGIN_NAME)) as fixture:
        yield fixture
