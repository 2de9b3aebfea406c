"""Message templates for comparing two different runs."""

MESSAGES_BESIDE = {
    # The runs as a whole.
    "beside.equal": "The two runs are bitwise equal in all {count} steps.",
    "beside.equal.values": "The two runs have the same values in all {count} steps.",
    "beside.equal.ways": "The two runs are equal in the {count} steps that they have in common.",
    "beside.rounding": (
        "The two runs agree except for rounding: {name} in step {step} differs most, {how}."
    ),
    "beside.differ": (
        "The two runs agree up to step {before}. In step {step}, {name} is the first "
        "value to differ: {how}."
    ),
    "beside.differ.rounding": (
        "Except for rounding, the two runs agree up to step {before}. In step {step}, "
        "{name} is the first value to differ: {how}."
    ),
    "beside.differ.once": "The two runs differ from step {step} on, starting with {name}: {how}.",
    "beside.alone.left": "The two runs diverge at step {step}, which occurs "
    "only in the left run: {what}.",
    "beside.alone.right": "The two runs diverge at step {step}, which occurs "
    "only in the right run: {what}.",
    "beside.nothing": (
        "There is nothing to compare: no step of one run matches a step of the other."
    ),
    "beside.only.left.one": "1 step occurs only in the left run.",
    "beside.only.left": "{count} steps occur only in the left run.",
    "beside.only.right.one": "1 step occurs only in the right run.",
    "beside.only.right": "{count} steps occur only in the right run.",
    "beside.uncertain": "For some values, not all elements were kept; only "
    "the kept elements are compared.",
    "beside.dtypes": (
        "{left} is compared with {right}: each rounding to {coarser} introduces a "
        "relative error of up to {roundoff}, and these errors add up."
    ),
    # A step number.
    "beside.step.same": "{left}",
    "beside.step.two": "{left} ({right} on the right)",
    "item.exception": "exception",
    # One line of a list.
    "beside.place": "{step}: {name}, {how}",
    "beside.place.left": "{step} (left run only)",
    "beside.place.right": "{step} (right run only)",
    "beside.place.left.of": "{step}: {what} (left run only)",
    "beside.place.right.of": "{step}: {what} (right run only)",
    # A value.
    "beside.value": "{name}",
    "beside.value.grad": "{leaf}.grad",
    "beside.value.contribution": "the gradient for {leaf}",
    "beside.value.saved": "the saved {name}",
    "beside.value.raised": "the {name}",
    "beside.value.returned": "the gradient returned for {name}",
    "beside.value.passed": "the gradient passed on to {name}",
    # The difference between two values.
    "beside.by": "by up to {size} at [{where}]",
    "beside.by.one": "by {size}",
    "beside.finite": "by a non-finite amount at [{where}]",
    "beside.finite.one": "by a non-finite amount",
    "beside.elements": "{differing} of {count} elements differ",
    "beside.shapes": "its shape is {left} on the left and {right} on the right",
    "beside.kinds": "it is {left} on the left and {right} on the right",
    "beside.only_left": "only the left run has it",
    "beside.only_right": "only the right run has it",
    "beside.equal.bits": "bitwise equal",
    "beside.same_value": "the same values",
    "beside.same_value.dtype": "the same values, as {left} on the left and {right} on the right",
    "beside.unknown": "not enough elements were kept to compare",
    "beside.apart": "differs {how}",
    "beside.apart.rounding": "agrees except for rounding: differs {how}",
    "beside.apart.statistics": "its statistics differ",
    "beside.kept": "{text} (not all elements were kept)",
    # Inputs of the right run.
    "beside.own.one": "The right run keeps its own input {names} because the left run "
    "has no matching input.",
    "beside.own": "The right run keeps its own inputs {names} because the left run has no matching "
    "inputs.",
    "beside.none": "None",
    "beside.tensor": "a tensor",
}
