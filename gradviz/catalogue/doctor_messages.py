"""Message templates of ``gradviz doctor``."""

MESSAGES_DOCTOR = {
    "doctor.line": "{place}: {rule} {severity}: {text}",
    "doctor.finding": "{rule} {severity}: {text}",
    "doctor.severity.error": "error",
    "doctor.severity.warning": "warning",
    "doctor.severity.info": "style",
    "doctor.nothing": "No problems found.",
    "doctor.summary": "Found {counts}.",
    "doctor.count.error.one": "{count} error",
    "doctor.count.error.more": "{count} errors",
    "doctor.count.warning.one": "{count} warning",
    "doctor.count.warning.more": "{count} warnings",
    "doctor.count.info.one": "{count} style hint",
    "doctor.count.info.more": "{count} style hints",
    "doctor.no_target": "name a Python file or a folder. See gradviz doctor --help.",
    "doctor.bad_target": "{target!r} is neither a folder nor of the form FILE.py or FILE.py:NAME",
    "doctor.unreadable": "{path} cannot be read: {problem}",
    # Pages of the guide.
    "doctor.page.facts": "Severity: {severity}. How it is found: {evidence}. Code: `{code}`.",
    "doctor.page.likely": "There are exceptions: look at the code before you change it.",
    "doctor.page.why": "Why",
    "doctor.page.bad": "Against the rule",
    "doctor.page.good": "Within the rule",
    "doctor.page.ignore": (
        "To accept a violation, end its line with `# gradviz: ignore[{rule}]`. On the line of a "
        "`def` or `class`, the comment accepts it in the whole definition."
    ),
    "doctor.evidence.run": "observed in a recorded run",
    "doctor.evidence.source": "read from the source",
    "doctor.evidence.torch": "refused by torch",
    "doctor.unknown_rule": "no rule is called {name}; `gradviz doctor --rules` lists them",
    "doctor.bad_project": "{path} cannot be read: {problem}",
    "doctor.bad_list": "{name} in [tool.gradviz] of {path} must be a list of rules",
    "doctor.not_run": "{name} was not run to its end: {problem}",
    "doctor.only_read": "{path} was only read: its examples could not run. {problem}",
    "doctor.empty_folder": "{path} contains no Python file",
    "doctor.no_examples": "{path} was only read, not run: {problem}",
}
