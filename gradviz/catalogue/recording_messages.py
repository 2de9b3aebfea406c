"""Message templates for what a recording leaves out, cannot do, or changes by What If."""

MESSAGES_RECORDING = {
    # Why no recording begins.
    "recording.not_stopped": "The recording has not ended yet.",
    "recording.open": "Another recording is open in this process. End it first.",
    "recording.around": (
        "gradviz already records this whole program, and no second recording can begin in it. To "
        "let the program record itself, run it with Python and without gradviz; to record it from "
        "outside, remove its own recording."
    ),
    "recording.bug": "This is a bug in gradviz, which was recording the program: {error}",
    "recording.torch": ("This version of gradviz cannot record torch {version} ({kind}: {error})."),
    # Which part of a run was recorded, as a sentence and as a note in the status bar.
    "scope.rank": "Recorded by rank {rank} of {count} processes.",
    "scope.note.rank": "rank {rank} of {count}",
    "scope.passes.one": "Only backward pass {first} of {count} was recorded.",
    "scope.passes.more": "Only backward passes {first} to {last} of {count} were recorded.",
    "scope.passes.none": "No backward pass was recorded.",
    "scope.passes.first": "pass {first}",
    "scope.passes.range": "passes {first}–{last}",
    "scope.passes.of": "{passes} of {count}",
    "scope.count.unknown": "an unknown number",
    "scope.stopped": "The recording stopped early: {reason}.",
    "scope.stopped.after": "The recording stopped after backward pass {last}: {reason}.",
    "scope.stopped.of": "The recording stopped after backward pass {last} of {count}: {reason}.",
    "scope.not_stopped": (
        "The condition that was to stop the recording ({condition}) was never fulfilled."
    ),
    "scope.reason.nan": "NaN appeared",
    "scope.reason.inf": "Inf appeared",
    "scope.reason.loss": "the loss was {loss}",
    "scope.reason.condition": "{condition} was fulfilled",
    "scope.reason.size": "the trace reached the limit of {size}",
    "scope.note.stopped": "stopped early: {reason}",
    "scope.only": "Only calls inside of {path} were recorded.",
    "scope.note.only": "only {path}",
    "scope.without.values": "Values of tensors were not recorded.",
    "scope.without.source": "Source code was not recorded.",
    "scope.note.without.values": "no values recorded",
    "scope.note.without.source": "no source recorded",
    # Notes on the recording itself.
    "recording.failed": "Recording failed in {place}: {kind}: {error}",
    "recording.pass": "the backward pass",
    "recording.step": "it could not be recorded ({kind}: {error})",
    "recording.no_lines": (
        "No source lines are recorded. Other tools already use all tool IDs of sys.monitoring."
    ),
    "recording.locals": (
        "Lines of {function} are not recorded: it uses locals(), which recording could change."
    ),
    "recording.no_ops": (
        "Ops of this node were not recorded: that would change how torch computes it."
    ),
    # Why the elements of a tensor are not stored.
    "elements.own_dispatch": ("values of {name}, which defines __torch_dispatch__, are not stored"),
    "elements.layout": "its layout is {layout}",
    "elements.layout.entries": "its layout is {layout} (nnz={count})",
    "elements.nested": "values of nested tensors are not stored",
    "elements.meta": "a meta tensor has no values",
    "elements.no_storage": "it has no storage",
    "elements.captured": "its values cannot be read while a graph of the device is being captured",
    "elements.dtype": "values of dtype {dtype} are not stored",
    "elements.lazy": "it is not initialized",
    "elements.failed": "it cannot be read ({kind}: {error})",
    "elements.freed": "its storage has been freed",
    "elements.numpy_dimensions": "it has {count} dimensions, and NumPy allows {most}",
    "elements.numpy_size": "its shape is too large for NumPy",
    "elements.unwritten": "its memory has not been written yet",
    "elements.budget": "the budget for stored elements is used up",
    "elements.not_asked": "this recording stores no values",
    "elements.many": "{count} elements are too many to store",
    # Values that are not tensors.
    "packed": "packed by saved-tensor hooks into {packed}",
    "saved.freed": "freed, or changed in place after it was saved",
    "root.edge": "gradient edge",
    "thread.engine": "autograd engine",
    # Changes by What If.
    "what_if.applied": "Changed by What If: {change}.",
    "what_if.refused": "Not changed: {change}. {problem}",
    "what_if.not_reached": "The run never reached this value.",
    "what_if.no_argument": "The call has no argument {name} there.",
    "what_if.no_parameter": "The module has no parameter {name}.",
    "what_if.not_saved": "{node} does not save {name} there in this run.",
    "what_if.packed": "The saved value was packed by saved-tensor hooks.",
    "what_if.unreadable": "The saved value cannot be read: {reason}.",
    "what_if.no_flow": "No gradient flows from {source} to {target} there.",
    "what_if.no_tensor": "There is no tensor there in this run.",
    "what_if.vmap": "it is wrapped by vmap",
    "what_if.no_elements": "Its elements cannot be changed: {reason}.",
    "what_if.other_form": "In this run, it has dtype {dtype} and shape {shape}.",
    "what_if.other_value": "In this run, its value was already different before any change.",
}
"""Templates by key, as in `gradviz.catalogue.messages`."""
