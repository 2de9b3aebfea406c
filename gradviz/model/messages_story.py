"""The catalogue's templates for where trouble came from, and for what became of a memory."""

MESSAGES_STORY = {
    # What is looked for.
    "trouble.first.nan": "NaN",
    "trouble.first.infinity": "Inf",
    "trouble.first.zero": "A zero",
    "trouble.first.large": "An element beyond {limit}",
    # Where something happened.
    "where.forward": "{name}.forward",
    "where.backward": "{name}.backward",
    "where.vjp": "{name}.vjp",
    "where.setup_context": "{name}.setup_context",
    "where.step": "step {number}",
    "where.builtin": "{name}",
    "where.engine": "what the engine makes of the result of {name}",
    "where.sum": "the sum of the gradients that arrive at {name}",
    "where.accumulate": "the addition into {name}.grad",
    "where.line": "{where}, line {line}",
    "where.op": "{where}, {op}",
    "where.output": "the {name} of {op}",
    # One element, or a tensor of which no element is known.
    "element.one": "{name}[{spot}]",
    "element.whole": "{name}",
    "element.value": "{element} = {value}",
    # Where it came up.
    "birth.made": "{trouble} first comes up in {where}: {element} is {value}.",
    "birth.made.from": "{trouble} first comes up in {where}: {element} is {value}, from {sources}.",
    "birth.made.many": (
        "{trouble} first comes up in {where}: {element} is {value}, from {count} elements of"
        " {names}."
    ),
    "birth.made.tensors": (
        "{trouble} first comes up in {where}: {element} is {value}. Which elements of {names} went"
        " into it is not known."
    ),
    "birth.made.unknown": (
        "{trouble} first comes up in {where}, in {name}. Not all elements were kept: which one it"
        " is cannot be told."
    ),
    "birth.start": "{trouble} is in the gradient that the backward pass starts with: {element}.",
    "birth.zeros": (
        "No gradient arrives at {where}: torch puts zeros in its place, {element} among them."
    ),
    "birth.unseen": (
        "{trouble} first comes up in {where}: {element} is {value}. No op was seen to make it, as"
        " happens with NumPy."
    ),
    "birth.given": (
        "{trouble} was there before the run: {element} is {value} where the run first has it, in"
        " {where}."
    ),
    "birth.given.unknown": (
        "{trouble} was there before the run: it is in {name} where the run first has it, in"
        " {where}."
    ),
    "birth.unknown": (
        "{trouble} is in {element} after {where}. Not everything that went in was kept: whether it"
        " came up there or was brought cannot be told."
    ),
    "birth.far": (
        "The way back was followed as far as {where}, where {element} is {value}; it came from"
        " further back."
    ),
    "birth.growth": "It is {times} times as large as the largest element that went in.",
    "birth.cause.infinity": "{element} is infinite already: where did that come from?",
    "birth.cause.zero": "{element} is zero: where did that come from?",
    # The way on.
    "path.made": "makes {element}",
    "path.through": "{before} goes into {after}",
    "path.likely": "{before} goes into {after}, probably: which element goes where is not known",
    "path.seen": "{element}",
    "path.line": "  step {step}, {where}: {note}",
    "birth.nothing.nan": "Nothing that was recorded of this run is NaN.",
    "birth.nothing.infinity": "Nothing that was recorded of this run is infinite.",
    # The versions of a memory.
    "version.made": "Made in {where}.",
    "version.given": "It was there before the run.",
    "version.op": "Changed in place in {where}.",
    "version.call": "Changed in place in {where}.",
    "version.dirty": "{where} declares with mark_dirty that it has changed it.",
    "version.accumulate": "The engine adds a gradient to it, in {where}.",
    "version.unseen": "It was changed in place before {where}; by what was not recorded.",
    "version.uncounted": (
        "Its elements changed before {where}, and torch's counter did not move, as happens with"
        " .data and NumPy. Autograd does not notice."
    ),
    "version.counter": "Torch counts a change in place; the elements are the same.",
    "version.saved": "{node} saves it as {name}.",
    "version.saved.step": "{node} saves it as {name} in step {step}.",
    "clash.counted": (
        "{node} saved {name} at version {saved}. It was changed in place in {where}, to version"
        " {now}: backward refuses, as its formula needs what was saved."
    ),
    "clash": (
        "{node} saved {name}. It was changed in place in {where}: backward refuses, as its formula"
        " needs what was saved."
    ),
    "clash.unseen": (
        "{node} saved {name}. It was changed in place before {where}: backward refuses, as its"
        " formula needs what was saved."
    ),
}
