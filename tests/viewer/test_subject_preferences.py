"""What is stored for subjects; an invalid setting is ignored."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings

from gradviz.viewer.subject_preferences import SubjectPreferences


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "1", '{"version": -1}'])
def test_an_invalid_setting_is_ignored(text: str) -> None:
    QSettings().setValue("some/key", text)
    assert SubjectPreferences("some/key").get("scene:exp") is None
