"""gradviz makes PyTorch's autograd visible: record a run once, explore it at any time.

PYTEST_DONT_REWRITE: pytest would warn that a recorded test run has already imported this package,
and there are no assertions of tests in it.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradviz.version import __version__

if TYPE_CHECKING:
    from gradviz.api.check import check
    from gradviz.api.doctor import doctor
    from gradviz.api.graph import AutogradGraph, graph
    from gradviz.api.loaded_trace import LoadedTrace, load
    from gradviz.api.record import RunRecorder, record
    from gradviz.api.result import CheckResult
    from gradviz.store.errors import TraceError

__all__ = [
    "AutogradGraph",
    "CheckResult",
    "LoadedTrace",
    "RunRecorder",
    "TraceError",
    "__version__",
    "check",
    "doctor",
    "graph",
    "load",
    "record",
]

_MODULES = {
    "AutogradGraph": "gradviz.api.graph",
    "CheckResult": "gradviz.api.result",
    "LoadedTrace": "gradviz.api.loaded_trace",
    "RunRecorder": "gradviz.api.record",
    "TraceError": "gradviz.store.errors",
    "check": "gradviz.api.check",
    "doctor": "gradviz.api.doctor",
    "graph": "gradviz.api.graph",
    "load": "gradviz.api.loaded_trace",
    "record": "gradviz.api.record",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first access, because most of them import torch."""
    if name in _MODULES:
        return _import_name(_MODULES[name], name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """Add ``%%gradviz`` to IPython; called by ``%load_ext gradviz``."""
    _import_name("gradviz.api.notebook", "register_magic")(shell)


def _import_name(module: str, name: str) -> Any:
    from gradviz.model.gc_pause import moved_to_oldest_generation

    # At the first access only: it delays full collections, which the run needs.
    once = nullcontext() if module in sys.modules else moved_to_oldest_generation()
    try:
        with once:
            return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        from gradviz.catalogue.optional_packages import missing_packages

        if error.name == "torch" and (missing := missing_packages("record")):
            raise ModuleNotFoundError(missing, name="torch") from None
        raise


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
