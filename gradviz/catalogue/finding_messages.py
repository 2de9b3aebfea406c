"""Message templates for findings: what was found, where, and how to fix it."""

MESSAGES_FINDINGS = {
    "finding.where": "{function}.{method}",
    "finding.where.line": "{function}.{method} (line {line})",
    "finding.refused": "{summary} {remedy}",
    "finding.one_number": "[] (a scalar)",
    "finding.gradients.one": "one gradient",
    "finding.gradients": "{count} gradients",
    "finding.arguments.one": "one input",
    "finding.arguments": "{count} inputs ({names})",
    "finding.numpy_unseen": (
        "In {where}, values computed outside torch come in through {names}: autograd "
        "does not see how they were computed, so backward must be written by hand, as it "
        "is here."
    ),
}
