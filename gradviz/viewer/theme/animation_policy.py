"""Decides whether to animate, from the user's preference or the system's setting.

It starts no process; a system that gives no answer allows animations.
"""

from __future__ import annotations

import os
import plistlib
import sys
import time
from configparser import ConfigParser, Error
from functools import lru_cache
from pathlib import Path
from typing import cast

from PySide6.QtGui import QGuiApplication

from gradviz.viewer.preferences import Preferences

_PORTAL_MS = 60
_PERIOD_S = 20.0
"""Seconds for which an answer of the settings portal is cached."""

_UNSEEN = ("offscreen", "minimal")


def may_move(preferences: Preferences) -> bool:
    """Whether to animate now; call it for each animation, so that changes apply at once."""
    if preferences.motion == "system":
        return system_may_move()
    return preferences.motion == "on"


def system_may_move() -> bool:
    """The system's own setting; False on platforms without a screen."""
    if QGuiApplication.platformName() in _UNSEEN:
        return False
    qt_setting = _qt_setting()
    if qt_setting is not None:
        return qt_setting
    if sys.platform == "win32":
        return _windows_setting()
    return _mac_setting() if sys.platform == "darwin" else _desktop_setting()


def _qt_setting() -> bool | None:
    """Qt's answer, available from Qt 6.12 on; None before."""
    hints = getattr(QGuiApplication.styleHints(), "accessibility", lambda: None)()
    preference = getattr(hints, "motionPreference", lambda: None)()
    return None if preference is None else "Reduce" not in str(preference)


def _windows_setting() -> bool:
    import ctypes

    shown = ctypes.c_int(1)
    get_client_area_animation = 0x1042
    windows = cast(object, getattr(ctypes, "windll", None))
    user32 = getattr(windows, "user32", None)
    if user32 is None:
        return True
    user32.SystemParametersInfoW(get_client_area_animation, 0, ctypes.byref(shown), 0)
    return bool(shown.value)


def _mac_setting() -> bool:
    path = Path.home() / "Library/Preferences/com.apple.universalaccess.plist"
    try:
        settings = plistlib.loads(path.read_bytes())
    except (OSError, ValueError, plistlib.InvalidFileException):
        return True
    return not settings.get("reduceMotion", False)


def _desktop_setting() -> bool:
    """The setting in KDE's file, or in the settings portal of GNOME and other desktops."""
    desktops = os.environ.get("XDG_CURRENT_DESKTOP", "").upper().split(":")
    if "KDE" in desktops:
        return _kde_setting()
    if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return True
    return _portal_setting(time.monotonic() // _PERIOD_S)


def _kde_setting() -> bool:
    folder = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    # Values may contain %, and keys may have no value.
    settings = ConfigParser(interpolation=None, allow_no_value=True, strict=False)
    try:
        settings.read(Path(folder) / "kdeglobals", encoding="utf-8")
        return settings.getfloat("KDE", "AnimationDurationFactor", fallback=1.0) > 0
    except (Error, ValueError, OSError):
        return True


@lru_cache(maxsize=1)
def _portal_setting(_period: float) -> bool:
    try:
        from PySide6.QtDBus import QDBus, QDBusConnection, QDBusMessage, QDBusVariant
    except ImportError:
        return True
    message = QDBusMessage.createMethodCall(
        "org.freedesktop.portal.Desktop",
        "/org/freedesktop/portal/desktop",
        "org.freedesktop.portal.Settings",
        "ReadOne",
    )
    message.setAutoStartService(False)
    message.setArguments(["org.gnome.desktop.interface", "enable-animations"])
    answer = QDBusConnection.sessionBus().call(message, QDBus.CallMode.Block, _PORTAL_MS)
    values = answer.arguments()
    return not any(isinstance(each, QDBusVariant) and each.variant() is False for each in values)
