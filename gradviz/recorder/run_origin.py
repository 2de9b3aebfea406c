"""Where and with which versions a run is recorded."""

from __future__ import annotations

import platform
from datetime import UTC, datetime

import numpy as np
import torch

from gradviz.model.inside import RecordingLevel
from gradviz.model.trace import Origin
from gradviz.version import __version__


def make_origin(
    *,
    title: str,
    subject: str,
    device: str,
    seed: int | None = None,
    level: RecordingLevel = "nodes",
) -> Origin:
    """Metadata for a run that is recorded now in this process.

    Args:
        title: Name of what runs, for people.
        subject: What runs, in the form that the command line accepts where it can.
        device: Title of the device.
        seed: Seed of the random number generators; None if it was not set.
        level: Level of detail of the recording.
    """
    return Origin(
        title=title,
        subject=subject,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        gradviz=__version__,
        python=platform.python_version(),
        torch=str(torch.__version__),
        numpy=np.__version__,
        platform=platform.platform(),
        device=device,
        seed=seed,
        level=level,
    )
