"""What is remembered of each scene and of each name in a file, over starts of the program."""

from __future__ import annotations

import json
import logging
from typing import Any

from PySide6.QtCore import QSettings

VERSION = 1
"""Of what is stored; another one is read as nothing."""

MOST_SUBJECTS = 100
"""The oldest are forgotten."""

_LOG = logging.getLogger(__name__)


class SubjectStore:
    """One kind of thing that is remembered; asks the settings each time, as other windows write.

    Args:
        key: Where in the settings it stands.
    """

    def __init__(self, key: str) -> None:
        self._key = key

    def get(self, subject: str) -> Any:
        """What was stored for a subject, as JSON gives it; None for nothing."""
        return self._all().get(subject)

    def put(self, subject: str, data: Any) -> None:
        """Stores what JSON can hold; nothing any more for None."""
        stored = self._all()
        stored.pop(subject, None)
        if data is not None:
            stored[subject] = data
        newest = dict(list(stored.items())[-MOST_SUBJECTS:])
        text = json.dumps({"version": VERSION, "subjects": newest}, allow_nan=False)
        QSettings().setValue(self._key, text)

    def _all(self) -> dict[str, Any]:
        text = QSettings().value(self._key, "")
        if not text:
            return {}
        try:
            data = json.loads(str(text))
        except ValueError:
            data = None
        if not isinstance(data, dict) or data.get("version") != VERSION:
            _LOG.info("What is stored as %s is of no version that is known here.", self._key)
            return {}
        subjects = data.get("subjects")
        return subjects if isinstance(subjects, dict) else {}
