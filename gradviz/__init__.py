"""gradviz makes PyTorch's autograd visible: record a run once, explore it at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.version import __version__

if TYPE_CHECKING:
    from gradviz.api.check import check
    from gradviz.api.doctor import doctor
    from gradviz.api.result import CheckResult

__all__ = ["CheckResult", "__version__", "check", "doctor"]


def __getattr__(name: str) -> Any:
    """Import the public functions on first access, because they import torch."""
    if name == "check":
        from gradviz.api.check import check

        return check
    if name == "doctor":
        from gradviz.api.doctor import doctor

        return doctor
    if name == "CheckResult":
        from gradviz.api.result import CheckResult

        return CheckResult
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
