"""Message templates of ``gradviz doctor``."""

MESSAGES_DOCTOR = {
    "doctor.line": "{place}: {rule} {severity}: {text}",
    "doctor.finding": "{rule} {severity}: {text}",
    "doctor.severity.error": "error",
    "doctor.severity.warning": "warning",
    "doctor.severity.info": "style",
    "doctor.nothing.one": "No problem found by the rule that was checked.",
    "doctor.nothing.more": "No problems found by the {count} rules that were checked.",
    "doctor.coverage.files.one": "{file}",
    "doctor.coverage.files.more": "{count} files",
    "doctor.coverage.examples.one": "{count} example",
    "doctor.coverage.examples.more": "{count} examples",
    "doctor.coverage.calls.one": "{count} call",
    "doctor.coverage.calls.more": "{count} calls",
    "doctor.coverage.nothing.call": (
        "{name}: nothing was checked, as there is no source of a custom Function to read, and no "
        "inputs to call it with."
    ),
    "doctor.coverage.nothing.one": (
        "{file}: nothing was checked, as it defines no custom Function, and none of its examples "
        "was run."
    ),
    "doctor.coverage.nothing.more": (
        "{count} files: nothing was checked, as they define no custom Function, and none of their "
        "examples was run."
    ),
    "doctor.coverage.read.one": "{file}: {checked} of {count} rule was read from the source.",
    "doctor.coverage.read.more": "{file}: {checked} of {count} rules were read from the source.",
    "doctor.coverage.run.one": (
        "{file}: {checked} of {count} rule was checked, in the source and in {examples}."
    ),
    "doctor.coverage.run.more": (
        "{file}: {checked} of {count} rules were checked, in the source and in {examples}."
    ),
    "doctor.coverage.unchecked.one": "The rule {rules} needs a run: {why}.",
    "doctor.coverage.unchecked.more": "{count} rules need a run ({rules}): {why}.",
    "doctor.coverage.no_run": "leave out --no-run",
    "doctor.coverage.no_examples": "declare inputs in EXAMPLES",
    "doctor.coverage.failed": "none of the examples could run",
    "doctor.coverage.no_inputs": "give gradviz.doctor the inputs of a call",
    "doctor.coverage.file": "the command gradviz doctor runs the examples of a file",
    "doctor.coverage.partly.one": "Of those that were read, {count} sees more in a run.",
    "doctor.coverage.partly.more": "Of those that were read, {count} see more in a run.",
    "doctor.coverage.second_order.one": (
        "The rule {rules} is seen only where a run differentiates twice, with create_graph=True."
    ),
    "doctor.coverage.second_order.more": (
        "The rules {rules} are seen only where a run differentiates twice, with create_graph=True."
    ),
    "doctor.coverage.transform.one": (
        "The rule {rules} is seen only where a run uses a transform of torch.func."
    ),
    "doctor.coverage.transform.more": (
        "The rules {rules} are seen only where a run uses a transform of torch.func."
    ),
    "doctor.coverage.values.call": (
        "Whether the gradients are right was not checked: gradviz.check compares them with "
        "numerical ones."
    ),
    "doctor.coverage.values.one": (
        "Whether the gradients are right was not checked: gradviz check {file} compares them with "
        "numerical ones."
    ),
    "doctor.coverage.values.more": (
        "Whether the gradients are right was not checked: gradviz check FILE.py compares them with "
        "numerical ones."
    ),
    "doctor.summary": "Found {counts}.",
    "doctor.count.error.one": "{count} error",
    "doctor.count.error.more": "{count} errors",
    "doctor.count.warning.one": "{count} warning",
    "doctor.count.warning.more": "{count} warnings",
    "doctor.count.info.one": "{count} style hint",
    "doctor.count.info.more": "{count} style hints",
    "doctor.no_target": "Name a Python file or a folder. See gradviz doctor --help.",
    "doctor.bad_target": "{target!r} is neither a folder nor of the form FILE.py or FILE.py:NAME.",
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
    "doctor.unknown_rule": "There is no rule {name}. `gradviz doctor --rules` lists them.",
    "doctor.bad_project": "{path} cannot be read: {problem}",
    "doctor.bad_list": "{name} in [tool.gradviz] of {path} must be a list of rules.",
    "doctor.not_run": "{name} was not run to its end: {problem}",
    "doctor.only_read": "{path} was only read: its examples could not run. {problem}",
    "doctor.empty_folder": "{path} contains no Python file.",
    "doctor.no_examples": "{path} was only read, not run: {problem}",
}
