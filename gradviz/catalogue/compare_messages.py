"""Message templates for comparing two different runs."""

MESSAGES_COMPARE = {
    # The runs as a whole.
    "compare.equal": "The two runs are bitwise equal in all {count} steps.",
    "compare.equal.values": "The two runs have the same values in all {count} steps.",
    "compare.equal.ways": "The two runs are equal in the {count} steps that they have in common.",
    "compare.rounding": (
        "The two runs agree except for rounding: {name} in step {step} differs most, {how}."
    ),
    "compare.differ": (
        "The two runs agree up to step {before}. In step {step}, {name} is the first "
        "value to differ: {how}."
    ),
    "compare.differ.rounding": (
        "Except for rounding, the two runs agree up to step {before}. In step {step}, "
        "{name} is the first value to differ: {how}."
    ),
    "compare.differ.once": "The two runs differ from step {step} on, starting with {name}: {how}.",
    "compare.change.left": "Only the left run has {left} (step {left_step}).",
    "compare.change.right": "Only the right run has {right} (step {right_step}).",
    "compare.change.both": (
        "The right run has {right} (step {right_step}) in place of {left} (step {left_step})."
    ),
    "compare.instead": "The right run has {right} in its place.",
    "compare.change.again.one": "The same happens once more.",
    "compare.change.again.more": "The same happens {count} more times.",
    "compare.change.rest.one": "Ops differ in one more place.",
    "compare.change.rest.more": "Ops differ in {count} more places.",
    "compare.alone.left": "The two runs diverge at step {step}, which occurs "
    "only in the left run: {what}.",
    "compare.alone.right": "The two runs diverge at step {step}, which occurs "
    "only in the right run: {what}.",
    "compare.nothing": (
        "There is nothing to compare: no step of one run matches a step of the other."
    ),
    "compare.only.left.one": "1 step occurs only in the left run.",
    "compare.only.left": "{count} steps occur only in the left run.",
    "compare.only.right.one": "1 step occurs only in the right run.",
    "compare.only.right": "{count} steps occur only in the right run.",
    "compare.uncertain": "For some values, not all elements were kept; only "
    "the kept elements are compared.",
    "compare.dtypes": (
        "{left} is compared with {right}: each rounding to {coarser} introduces a "
        "relative error of up to {roundoff}, and these errors add up."
    ),
    # A step number.
    "compare.step.same": "{left}",
    "compare.step.two": "{left} ({right} on the right)",
    "item.exception": "exception",
    # One line of a list.
    "compare.missing.left": "Step {step} occurs only in the left run: {what}.",
    "compare.missing.right": "Step {step} occurs only in the right run: {what}.",
    "compare.difference": "In step {step}, {name} differs: {how}.",
    "compare.place": "{step}: {name}, {how}",
    "compare.place.left": "{step} (left run only)",
    "compare.place.right": "{step} (right run only)",
    "compare.place.left.of": "{step}: {what} (left run only)",
    "compare.place.right.of": "{step}: {what} (right run only)",
    # A value.
    "compare.value": "{name}",
    "compare.value.grad": "{leaf}.grad",
    "compare.value.contribution": "the gradient for {leaf}",
    "compare.value.saved": "the saved {name}",
    "compare.value.raised": "the {name}",
    "compare.value.returned": "the gradient returned for {name}",
    "compare.value.passed": "the gradient passed on to {name}",
    # The difference between two values.
    "compare.by": "by up to {size} at [{where}]",
    "compare.by.one": "by {size}",
    "compare.finite": "by a non-finite amount at [{where}]",
    "compare.finite.one": "by a non-finite amount",
    "compare.elements": "{differing} of {count} elements differ",
    "compare.shapes": "its shape is {left} on the left and {right} on the right",
    "compare.kinds": "it is {left} on the left and {right} on the right",
    "compare.only_left": "only the left run has it",
    "compare.only_right": "only the right run has it",
    "compare.equal.bits": "bitwise equal",
    "compare.same_value": "the same values",
    "compare.same_value.dtype": "the same values, as {left} on the left and {right} on the right",
    "compare.unknown": "not enough elements were kept to compare",
    "compare.apart": "differs {how}",
    "compare.apart.rounding": "agrees except for rounding: differs {how}",
    "compare.apart.statistics": "its statistics differ",
    "compare.kept": "{text} (not all elements were kept)",
    # Inputs of the right run.
    "compare.own.one": "The right run keeps its own input {names} because the left run "
    "has no matching input.",
    "compare.own": "The right run keeps its own inputs {names} because the left run has no "
    "matching inputs.",
    "compare.none": "None",
    "compare.tensor": "a tensor",
}
