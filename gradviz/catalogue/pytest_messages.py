"""Message templates of the pytest plugin."""

MESSAGES_PYTEST = {
    "tests.line": "{test}: {sentence}",
    "tests.view": "    gradviz view {path}",
    "tests.view_check": "    gradviz view {path} --tab jacobians",
    "tests.failed": "{check} of {name} failed. {reason}",
    "tests.not_reproduced": "gradviz found no error with the options that it supports. {message}",
    "tests.undiagnosed": "gradviz could not examine the {part} ({kind}: {error}).",
    "tests.part.recording": "recording",
    "tests.nan": "The gradient of {name} contains NaN. {origin}",
    "tests.recorded.one": "{count} step was recorded.",
    "tests.recorded.more": "{count} steps were recorded.",
}
"""Templates by key, as in `gradviz.catalogue.messages`."""
