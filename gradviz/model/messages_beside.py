"""The catalogue's templates for two different runs side by side."""

MESSAGES_BESIDE = {
    # The runs as a whole.
    "beside.equal": "The two runs are equal, bit for bit, in all {count} steps.",
    "beside.equal.values": "The two runs have the same values in all {count} steps.",
    "beside.equal.ways": "The two runs are equal in the {count} steps that both have.",
    "beside.rounding": (
        "The two runs agree but for rounding: {name} in step {step} differs most, {how}."
    ),
    "beside.differ": (
        "The two runs agree up to step {before}; in step {step} first differs {name}: {how}."
    ),
    "beside.differ.rounding": (
        "But for rounding, the two runs agree up to step {before}; in step {step} first differs"
        " {name}: {how}."
    ),
    "beside.differ.once": "The two runs differ from step {step} on, first in {name}: {how}.",
    "beside.alone.left": "The two runs part at step {step}, which only the left one has: {what}.",
    "beside.alone.right": "The two runs part at step {step}, which only the right one has: {what}.",
    "beside.nothing": (
        "There is nothing to compare: no step of one run belongs to one of the other."
    ),
    "beside.only.left.one": "1 step is there only on the left.",
    "beside.only.left": "{count} steps are there only on the left.",
    "beside.only.right.one": "1 step is there only on the right.",
    "beside.only.right": "{count} steps are there only on the right.",
    "beside.uncertain": "Of some values not all elements were kept; those that were are compared.",
    "beside.dtypes": (
        "{left} is compared with {right}: each rounding to {coarser} may change a number by up to"
        " {roundoff} of it, and such changes add up."
    ),
    # A step by its number.
    "beside.step.same": "{left}",
    "beside.step.two": "{left} ({right} on the right)",
    "item.exception": "exception",
    # One line of a list.
    "beside.place": "{step}: {name}, {how}",
    "beside.place.left": "{step}: only on the left",
    "beside.place.right": "{step} on the right: only there",
    "beside.place.left.of": "{step}: {what}, only on the left",
    "beside.place.right.of": "{step} on the right: {what}, only there",
    # A value.
    "beside.value": "{name}",
    "beside.value.grad": "{leaf}.grad",
    "beside.value.contribution": "the gradient for {leaf}",
    "beside.value.saved": "the saved {name}",
    "beside.value.raised": "the {name}",
    "beside.value.returned": "the gradient returned for {name}",
    "beside.value.passed": "the gradient passed on to {name}",
    # How far two values are apart.
    "beside.by": "by up to {size} at [{where}]",
    "beside.by.one": "by {size}",
    "beside.finite": "by no finite amount at [{where}]",
    "beside.finite.one": "by no finite amount",
    "beside.elements": "{differing} of {count} elements are not the same",
    "beside.shapes": "its shape is {left} on the left and {right} on the right",
    "beside.kinds": "it is {left} on the left and {right} on the right",
    "beside.only_left": "only the left run has it",
    "beside.only_right": "only the right run has it",
    "beside.equal.bits": "equal, bit for bit",
    "beside.same_value": "the same numbers",
    "beside.same_value.dtype": "the same numbers, as {left} and as {right}",
    "beside.unknown": "not enough of it was kept to compare",
    "beside.apart": "differs {how}",
    "beside.apart.rounding": "agrees but for rounding: differs {how}",
    "beside.apart.statistics": "its statistics differ",
    "beside.kept": "{text}, in what was kept of it",
    # The inputs of the right run.
    "beside.own.one": "The input {names} is its own: the left run has none like it.",
    "beside.own": "The inputs {names} are its own: the left run has none like them.",
    "beside.none": "None",
    "beside.tensor": "a tensor",
}
