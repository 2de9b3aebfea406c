"""Message templates for comparing two runs, the origin of a value, and the versions of memory."""

from __future__ import annotations

MESSAGES_ANALYSIS: dict[str, str] = {
    # The kind of value whose origin is looked for.
    "value_problem.nan": "NaN",
    "value_problem.infinity": "Inf",
    "value_problem.zero": "A zero",
    "value_problem.large": "An element beyond {limit}",
    # The place where something happened.
    "where.forward": "{name}.forward",
    "where.backward": "{name}.backward",
    "where.vjp": "{name}.vjp",
    "where.setup_context": "{name}.setup_context",
    "where.step": "step {number}",
    "where.builtin": "{name}",
    "where.engine": "the engine's processing of the result of {name}",
    "where.sum": "the sum of the gradients that arrive at {name}",
    "where.accumulate": "the accumulation into {name}.grad",
    "where.update": "{name}.step",
    "where.line": "{where}, line {line}",
    "where.op": "{where}, {op}",
    "where.output": "the {name} of {op}",
    # One element, or a tensor if the element is unknown.
    "element.one": "{name}[{element}]",
    "element.whole": "{name}",
    "element.value": "{element} = {value}",
    # The origin.
    "origin.made": "{problem} first appears in {where}: {element} is {value}.",
    "origin.made.from": "{problem} first appears in {where}: {element} is "
    "{value}, computed from {sources}.",
    "origin.made.many": (
        "{problem} first appears in {where}: {element} is {value}, computed from {count} "
        "elements of {names}."
    ),
    "origin.made.tensors": (
        "{problem} first appears in {where}: {element} is {value}. It is not known which "
        "elements of {names} it was computed from."
    ),
    "origin.made.unknown": (
        "{problem} first appears in {where}, in {name}. Not all elements were kept, so "
        "the exact element is unknown."
    ),
    "origin.start": (
        "{problem} is already in the gradient that starts the backward pass: {element}."
    ),
    "origin.zeros": ("No gradient arrives at {where}: torch fills in zeros, including {element}."),
    "origin.unseen": (
        "{problem} first appears in {where}: {element} is {value}. No recorded op "
        "computed it, as happens with NumPy."
    ),
    "origin.given": (
        "{problem} comes from outside of what was recorded: {element} is {value} where the run "
        "first uses it, in {where}."
    ),
    "origin.given.unknown": (
        "{problem} comes from outside of what was recorded: it is in {name} where the run first "
        "uses it, in {where}."
    ),
    "origin.unknown": (
        "{problem} is in {element} after {where}. Not all inputs were kept, so it is "
        "unknown whether it first appeared there or came from an input."
    ),
    "origin.far": (
        "The search stopped at {where}, where {element} is {value}; the origin is further back."
    ),
    "origin.growth": "It is {times} times as large as the largest "
    "element that it was computed from.",
    "origin.cause.infinity": "{element} is already infinite. Where does it come from?",
    "origin.cause.zero": "{element} is zero. Where does it come from?",
    # The path from the origin.
    "path.made": "creates {element}",
    "path.through": "{before} goes into {after}",
    "path.likely": "{before} probably goes into {after}; the exact elements are unknown",
    "path.seen": "{element}",
    "path.line": "  step {step}, {where}: {note}",
    # The arithmetic of one element.
    "arithmetic.note": "({notes})",
    "arithmetic.terms": "{count} terms",
    "arithmetic.because": "because {condition}",
    "arithmetic.engine": "summed by the engine",
    "arithmetic.cast": "cast by the engine",
    "arithmetic.edges": "added up by the engine",
    "arithmetic.accumulate": "added to .grad",
    "arithmetic.rounded": "up to rounding",
    "arithmetic.step": "in step {number}",
    "origin.nothing.nan": "No NaN was recorded in this run.",
    "origin.nothing.infinity": "No Inf was recorded in this run.",
    "origin.isolated.nan": (
        "Except in steps that a GradScaler skips, this NaN reaches no root, no gradient of a leaf "
        "and no parameter."
    ),
    "origin.isolated.infinity": (
        "Except in steps that a GradScaler skips, this Inf reaches no root, no gradient of a leaf "
        "and no parameter."
    ),
    # The versions of a tensor's memory.
    "version.made": "Created in {where}.",
    "version.given": "It existed before the run.",
    "version.op": "Changed in place in {where}.",
    "version.call": "Changed in place in {where}.",
    "version.dirty": "Marked as changed in place with ctx.mark_dirty in {where}.",
    "version.accumulate": "The engine adds a gradient to it in {where}.",
    "version.optimizer": "An optimizer updates it in {where}.",
    "version.unseen": "It was changed in place before {where}; the change itself was not recorded.",
    "version.uncounted": (
        "Its elements changed before {where}, but torch's version counter did not, as "
        "happens with .data and NumPy. Autograd does not notice."
    ),
    "version.uncounted.write": (
        "Changed in place in {where}, but torch's version counter did not change, as happens "
        "with .data. Autograd does not notice."
    ),
    "version.between": "{where} changed it in place, outside of all steps.",
    "version.uncounted.between": (
        "{where} changed it in place, but torch's version counter did not change, as happens "
        "with .data. Autograd does not notice."
    ),
    "version.counter": "Torch's version counter increased, but the elements are the same.",
    "version.saved": "{node} saves it as {name}.",
    "version.saved.step": "{node} saves it as {name} in step {step}.",
    # Saved tensors that were changed before backward used them.
    "clash.raised": (
        "{write} overwrote {name}, which {saver} saved. Backward needs the saved values, so "
        "torch raises an error. Change a copy instead, or save a clone."
    ),
    "clash.raised.optimizer": (
        "{write} overwrote {name}, which {saver} saved. This pass came after it and needs the "
        "saved values, so torch raises an error. Run every backward pass through this graph before "
        "the optimizer's step, or run the forward again after it."
    ),
    "clash.elsewhere": (
        "{write} changed other elements of the tensor that {name} is part of, and left {name} "
        "as it was. But {saver} saved {name}, and torch counts changes of the whole tensor, so "
        "it raises an error. Change a copy instead, or save a clone."
    ),
    "clash.elsewhere.part": (
        "{write} changed {name} in place after {saver} had saved another part of it. That part is "
        "as it was, but torch counts changes of the whole tensor, so it raises an error. Use a "
        "clone of the part, or change a copy of {name}."
    ),
    "clash.elsewhere.item": (
        "{write} changed other elements of the tensor that {name} is part of, and left {name} "
        "as it was. But {saver} saved {name}, and torch counts changes of the whole tensor, so "
        "it raises an error. Collect the parts in a list and join them with torch.stack, or use "
        "a clone of {name}."
    ),
    "clash.silent": (
        "{write} overwrote {name}, which {saver} saved, but torch's version counter did not "
        "notice. Backward used the new values, so its gradient is wrong. Change a copy instead."
    ),
    "clash.between.raised": (
        "{saver} saved {name}, which was changed in place between line {after} and line "
        "{before}; the change itself was not recorded. Backward needs the saved values, so "
        "torch raises an error. Change a copy instead, or save a clone."
    ),
    "clash.between.silent": (
        "{saver} saved {name}, which was changed between line {after} and line {before}, as "
        "happens with NumPy; torch's version counter did not notice. Backward used the new "
        "values, so its gradient is wrong. Change a copy instead."
    ),
    "clash.unseen.raised": (
        "{saver} saved {name}, which was changed in place before backward used it; the change "
        "itself was not recorded. Backward needs the saved values, so torch raises an error. "
        "Change a copy instead, or save a clone."
    ),
    "clash.unseen.silent": (
        "{saver} saved {name}, which was changed before backward used it, as happens with "
        "NumPy; torch's version counter did not notice. Backward used the new values, so its "
        "gradient is wrong. Change a copy instead."
    ),
    "clash.unknown": (
        "{saver} saved a tensor that was changed in place before backward used it; what changed "
        "it was not recorded. Backward needs the saved values, so torch raises an error. Change "
        "a copy instead, or save a clone."
    ),
    # What changed it, as a subject, and what had saved it.
    "clash.write.code": "`{code}`, line {line},",
    "clash.write.line": "{op}, line {line},",
    "clash.write.place": "A change in {where}",
    "clash.saver.line": "{name} (line {line})",
    "clash.result": "its result",
    # The runs as a whole, or an iteration of each.
    "compare.both.runs": "The two runs",
    "compare.both.iterations": "Iterations {left} and {right}",
    "compare.iteration": "{title}, iteration {number}",
    "compare.updated": (
        "After the updates of iterations {left} and {right}, {name} differs most, {how}."
    ),
    "compare.equal": "{both} are bitwise equal in all {count} steps.",
    "compare.equal.values": "{both} have the same values in all {count} steps.",
    "compare.equal.ways": "{both} are equal in the {count} steps that they have in common.",
    "compare.rounding": (
        "{both} agree except for rounding: {name} in step {step} differs most, {how}."
    ),
    "compare.differ": (
        "{both} agree up to step {before}. In step {step}, {name} is the first "
        "value to differ: {how}."
    ),
    "compare.differ.rounding": (
        "{both} agree up to step {before}, except for rounding. In step {step}, "
        "{name} is the first value to differ: {how}."
    ),
    "compare.differ.once": "{both} differ from step {step} on, starting with {name}: {how}.",
    "compare.change.left": "Only the left side has {left} (step {left_step}).",
    "compare.change.right": "Only the right side has {right} (step {right_step}).",
    "compare.change.both": (
        "The right side has {right} (step {right_step}) in place of {left} (step {left_step})."
    ),
    "compare.instead": "The right side has {right} in its place.",
    "compare.change.again.one": "The same happens once more.",
    "compare.change.again.more": "The same happens {count} more times.",
    "compare.change.rest.one": "Ops differ in one more place.",
    "compare.change.rest.more": "Ops differ in {count} more places.",
    "compare.alone.left": "{both} diverge at step {step}, which occurs only on the left: {what}.",
    "compare.alone.right": "{both} diverge at step {step}, which occurs only on the right: {what}.",
    "compare.nothing": (
        "There is nothing to compare: no step on the left matches a step on the right."
    ),
    "compare.only.left.one": "1 step occurs only on the left.",
    "compare.only.left": "{count} steps occur only on the left.",
    "compare.only.right.one": "1 step occurs only on the right.",
    "compare.only.right": "{count} steps occur only on the right.",
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
    "compare.missing.left": "Step {step} occurs only on the left: {what}.",
    "compare.missing.right": "Step {step} occurs only on the right: {what}.",
    "compare.difference": "In step {step}, {name} differs: {how}.",
    "compare.place": "{step}: {name}, {how}",
    "compare.place.left": "{step} (left only)",
    "compare.place.right": "{step} (right only)",
    "compare.place.left.of": "{step}: {what} (left only)",
    "compare.place.right.of": "{step}: {what} (right only)",
    # A value.
    "compare.value": "{name}",
    "compare.value.grad": "{leaf}.grad",
    "compare.value.before": "{leaf} before the update",
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
    "compare.only_left": "only the left side has it",
    "compare.only_right": "only the right side has it",
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
