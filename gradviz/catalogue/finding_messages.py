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
    "finding.repeated.one": "{message} Likewise in {count} later step.",
    "finding.repeated.more": "{message} Likewise in {count} later steps.",
    "finding.freed_graph.pass": "backward pass {number}",
    "finding.freed_graph.pass.line": "backward pass {number} (line {line})",
    "finding.freed_graph.shared": (
        "{node} can't run again: {first} has freed what it saved. Add up the losses and run a "
        "single pass, or set retain_graph=True in the earlier one."
    ),
    "finding.freed_graph.carried": (
        "{node} can't run again: {first} has freed what it saved. This pass comes to it through "
        "{carrier}, which uses a tensor from before that pass. If gradients should not flow back "
        "that far, as into an earlier iteration, call detach() on that tensor."
    ),
    "finding.numpy_unseen": (
        "In {where}, values computed outside torch come in through {names}: autograd "
        "does not see how they were computed, so backward must be written by hand, as it "
        "is here."
    ),
}
