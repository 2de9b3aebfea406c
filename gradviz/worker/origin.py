"""Metadata on what produced a trace: versions, device, seed."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch

from gradviz import __version__
from gradviz.model.inputs import Offer
from gradviz.model.inside import RecordingLevel
from gradviz.model.trace import Origin


def origin_of(offer: Offer, device: str, level: RecordingLevel = "nodes") -> Origin:
    """Metadata for a run of an offer.

    Args:
        offer: What is run.
        device: Title of the device.
        level: Recording level.
    """
    subject = offer.subject
    text = subject.text if subject.scene else f"{Path(subject.path).name}:{subject.name}"
    return Origin(
        title=offer.title,
        subject=text,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        gradviz=__version__,
        python=platform.python_version(),
        torch=str(torch.__version__),
        numpy=np.__version__,
        platform=platform.platform(),
        device=device,
        seed=offer.seed,
        level=level,
    )
