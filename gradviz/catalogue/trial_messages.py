"""Message templates for trials: unusual incoming gradients and variations of the inputs."""

MESSAGES_TRIALS = {
    # Trials with unusual incoming gradients: their names.
    "incoming.random": "grad_output dense, random values",
    "incoming.transposed": "grad_output transposed",
    "incoming.sliced": "grad_output sliced (every second element)",
    "incoming.channels_last": "grad_output channels_last",
    "incoming.offset": "grad_output dense, with a storage offset",
    "incoming.expanded": "grad_output expanded (stride 0), as after sum()",
    "incoming.expanded_first": "grad_output expanded along dimension 0, as after sum(0)",
    "incoming.zeros": "grad_output zeros",
    "incoming.none": "grad_output None",
    "incoming.none.every": "every grad_output None",
    "incoming.none.one": "gradient of {name} None",
    "incoming.scaled": "grad_output scaled by {factor:g}",
    "incoming.nan": "grad_output with one NaN",
    # Their results.
    "tried.raised": "Backward raised {error}",
    "tried.random.writes": "Backward modifies grad_output in place.",
    "tried.random.varies": (
        "Two identical passes give different gradients, so no other result can be compared with"
        " them."
    ),
    "tried.random": "Two identical passes give the same gradients.",
    "tried.layout.varies": "The result varies between runs, so it cannot be judged.",
    "tried.layout.raised": "With grad_output strides {strides}, backward raised {error}",
    "tried.layout.differs": (
        "With grad_output strides {strides}, the gradients differ: {difference}."
    ),
    "tried.layout.writes": (
        "With grad_output strides {strides}, the gradients are correct, but backward modifies"
        " grad_output in place."
    ),
    "tried.layout": (
        "With grad_output strides {strides}, the gradients match those for a dense grad_output."
    ),
    "tried.zeros.differs": "With zeros, the gradients are not zero: {difference}.",
    "tried.zeros": "The gradients are zero as well.",
    "tried.none.differs": "With None instead of zeros, the gradients differ: {difference}.",
    "tried.none": "The gradients match those for zeros.",
    "tried.scaled.differs": (
        "With grad_output scaled by {factor:g}, the gradients are not: {difference}. Backward is"
        " not linear."
    ),
    "tried.scaled": "The gradients are scaled by {factor:g} as well.",
    "tried.nan.lost": "The NaN is lost in backward: no gradient is NaN.",
    "tried.nan.one": "{count} of {total} elements of the gradients becomes NaN.",
    "tried.nan.more": "{count} of {total} elements of the gradients become NaN.",
    # The largest difference between what was found and what was expected.
    "difference.gradient": "the gradient of {name} is {found} instead of {expected}",
    "difference.gradient.element": (
        "element [{index}] of the gradient of {name} is {found} instead of {expected}"
    ),
    "difference.output": "{name} is {found} instead of {expected}",
    "difference.output.element": "element [{index}] of {name} is {found} instead of {expected}",
    # What the failed trials have in common.
    "battery.mutates_grad_output": (
        "Backward modifies its incoming gradient in place. That tensor belongs to the caller:"
        " others may read it afterwards, and after sum() all its elements share one memory"
        " location. gradcheck does not detect this; work on a clone."
    ),
    "battery.mutates_grad_output.named": (
        "The backward of {functions} modifies its incoming gradient in place. That tensor belongs"
        " to the caller: others may read it afterwards, and after sum() all its elements share one"
        " memory location. gradcheck does not detect this; work on a clone."
    ),
    "battery.stride_blind": (
        "Backward is correct only if the incoming gradient is contiguous and starts at storage"
        " offset 0, as in gradcheck. Read it through its strides, or call grad_output.contiguous()"
        " first and respect its storage offset. gradcheck does not detect this."
    ),
    "battery.stride_blind.wrong": (
        "Backward returns different gradients for the same incoming values if these are not"
        " contiguous or do not start at storage offset 0. Read the incoming gradient through its"
        " strides, or call grad_output.contiguous() first and respect its storage offset."
    ),
    "battery.stride_blind.wrong.raises": (
        "Backward raises an error if the incoming gradient is not contiguous or does not start at"
        " storage offset 0. Read it through its strides, or call grad_output.contiguous() first."
    ),
    # Variations of the inputs: their names.
    "variation.empty": "empty: {shapes}",
    "variation.size": "size {size}: {shapes}",
    "variation.small": "small sizes",
    "variation.none": "{name} None",
    "variation.only": "only {name} requires a gradient",
    "variation.all_but": "all but {name} require a gradient",
    "variation.transposed": "{name} transposed",
    "variation.sliced": "{name} sliced (every second element)",
    "variation.expanded": "{name} expanded (stride 0)",
    "variation.zero_dimensional": "zero-dimensional",
    "variation.device": "on {device}",
    "variation.more": "more variations",
    # Their results.
    "varied.refused": "Forward does not accept these inputs: {error}",
    "varied.not_finite": "The output contains Inf or NaN, so it cannot be compared.",
    "varied.no_grad": "No output requires a gradient.",
    "varied.no_baseline": (
        "The baseline run with the same values fails or gives Inf or NaN, so there is nothing to"
        " compare with."
    ),
    "varied.random": "Forward draws random numbers, which differ between dtypes and devices.",
    "varied.unsupported": "torch does not support this: {error}",
    "varied.raised": "Backward raised {error}",
    "varied.differs": "Results differ: {difference}.",
    "varied.shape": "Results differ: an output or gradient has a different shape.",
    "varied.same": "Outputs and gradients are the same up to rounding.",
    "varied.too_many": "There are too many elements to compute their Jacobians.",
    "varied.agree.none": "There are no elements to compare, and nothing raised an error.",
    "varied.agree.one": "Both Jacobians agree in their only element.",
    "varied.agree.more": "Both Jacobians agree in all {count} elements.",
    "varied.real_only": (
        "The Jacobians differ, but the function may be meant for real numbers only."
    ),
    "varied.failed": "This variation could not be judged: {error}",
    "varied.left_out.one": "{count} more was left out; at most {limit} are tried.",
    "varied.left_out.more": "{count} more were left out; at most {limit} are tried.",
    "varied.diagnosis": "The given inputs pass, but others do not. {variation}: {message}",
    "varied.row": "{variation}: {message}",
}
