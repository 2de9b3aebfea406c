"""Recording and diagnosis of the tests that run in this process."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from gradviz.recorder.user_traceback import hide_our_frames_in_chain
from gradviz.testing.gradcheck_calls import GradcheckWatch
from gradviz.testing.nan_gradients import NanGradientWatch
from gradviz.testing.written_traces import REPORT_ATTRIBUTE, WrittenTraces

PLUGIN_NAME = "gradviz_watch"


class TestWatch:
    """Hooks around each test.

    Attributes:
        traces: The traces of the running test.
        recording: The recording of the running test.
    """

    __test__ = False

    def __init__(self, folder: Path, worker: str) -> None:
        """Wrap torch's functions; the arguments are those of `WrittenTraces`."""
        self.traces = WrittenTraces(folder, worker)
        self.recording = NanGradientWatch(self.traces)
        self._gradchecks = GradcheckWatch(self.traces, self.recording)
        self._gradchecks.install()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Say which test runs, fixtures included."""
        self.traces.test = item.nodeid
        try:
            return (yield)
        finally:
            self.traces.test = ""

    # Innermost, so that nothing of pytest is recorded.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Record the test itself; its exceptions have the traceback of a plain run."""
        try:
            with self.recording.recorded():
                return (yield)
        except BaseException as error:
            hide_our_frames_in_chain(error)
            raise

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the traces to the report, which xdist sends to its main process."""
        report = yield
        found = self.traces.take_new()
        setattr(report, REPORT_ATTRIBUTE, found)
        properties: list[tuple[str, object]] = []
        for each in found:
            properties.append(("gradviz", each["sentence"]))
            if each["path"]:
                properties.append(("gradviz_trace", each["path"]))
        # JUnit XML has those of the last report, to which pytest hands on those of the test.
        item.user_properties += properties
        report.user_properties += properties
        return report

    def pytest_unconfigure(self) -> None:
        """Restore torch's functions and remove temporary files."""
        self._gradchecks.remove()
        self.traces.close()
