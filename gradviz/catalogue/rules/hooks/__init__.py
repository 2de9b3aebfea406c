"""Rules on hooks."""

from __future__ import annotations

from gradviz.catalogue.rules.hooks.hook_result import HOOK_RESULT

HOOKS = (HOOK_RESULT,)
