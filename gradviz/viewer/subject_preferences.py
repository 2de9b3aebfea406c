"""Per-subject settings, kept between sessions for each scene and each name in a file."""

from __future__ import annotations

import json
import logging
from typing import Any

from PySide6.QtCore import QSettings

VERSION = 1
"""Version of the stored format; data of any other version is ignored."""

MOST_SUBJECTS = 100
"""Beyond this number, the oldest subjects are dropped."""

_LOG = logging.getLogger(__name__)


class SubjectPreferences:
    """Stored data by subject; reads QSettings each time, as other windows may write.

    Args:
        key: Key of the data in QSettings.
    """

    def __init__(self, key: str) -> None:
        self._key = key

    def get(self, subject: str) -> Any:
        """Return what was stored for a subject, as parsed JSON; None if nothing."""
        return self._all().get(subject)

    def has_any(self, beginning: str) -> bool:
        """Return whether something is stored for a subject whose text begins like this."""
        return any(each.startswith(beginning) for each in self._all())

    def put(self, subject: str, data: Any) -> None:
        """Store JSON-compatible data for a subject; None removes it."""
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
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or data.get("version") != VERSION:
            _LOG.info(
                "The stored setting %s is invalid or has an unknown version; it is ignored.",
                self._key,
            )
            return {}
        subjects = data.get("subjects")
        return subjects if isinstance(subjects, dict) else {}
