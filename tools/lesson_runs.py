"""``make lesson-runs``: records the runs of the shipped lessons, so that no stop waits for one."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import zipfile
from pathlib import Path

from msgspec.structs import replace

from gradviz.catalogue.language import load_language
from gradviz.checks.stages import function_curves
from gradviz.lesson.lesson import Lesson
from gradviz.lesson.shipped import LESSONS, shipped_lesson
from gradviz.lesson.stop_runs import checked_runs, missing_runs
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import Offer
from gradviz.protocol.messages import CheckRequest, RunRequest
from gradviz.store.finalize import finalize_trace
from gradviz.store.shipped_run import lesson_archive, lesson_run_key
from gradviz.worker.check import check
from gradviz.worker.run import run
from tools.first_run import pack

LANGUAGES = ("en", "de", "zh")

_MOMENT = (2026, 1, 1, 0, 0, 0)
"""Instead of the time of the recording, which would change the archive each time."""


def runs_of(lessons: list[Lesson]) -> dict[str, tuple[Offer, bool]]:
    """What is run for some lessons, and whether it is checked, by its name in the archives."""
    found = {}
    for lesson in lessons:
        checked = checked_runs(lesson)
        for name, offer in missing_runs(lesson, lesson.stops).items():
            is_checked = name in checked
            found[lesson_run_key(name, checked=is_checked)] = offer, is_checked
    return dict(sorted(found.items()))


def record(offer: Offer, path: Path, *, checked: bool) -> None:
    """Records an offer as the window records it for a lesson."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run(RunRequest(offer=offer, trace=str(path), level="all"))
        if checked:
            # All curves, however busy the machine is.
            function_curves.MOST_SECONDS = function_curves.MORE_SECONDS = 600.0
            settings = replace(CheckSettings(), auto_cast=True)
            request = CheckRequest(offer=offer, trace=str(path), settings=settings)
            check(request, lambda _: None)
    finalize_trace(path)


def main() -> int:
    """Replaces the shipped archives."""
    for language in LANGUAGES:
        load_language(language)
        runs = runs_of([shipped_lesson(name) for name in LESSONS])
        with (
            tempfile.TemporaryDirectory(prefix="gradviz-lesson-runs-") as folder,
            zipfile.ZipFile(lesson_archive("en").with_name(f"{language}.zip"), "w") as archive,
        ):
            path = Path(folder) / "run.gradviz"
            for key, (offer, checked) in runs.items():
                path.unlink(missing_ok=True)
                record(offer, path, checked=checked)
                pack(path, path)
                member = zipfile.ZipInfo(key, _MOMENT)
                archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return 0


if __name__ == "__main__":
    sys.exit(main())
