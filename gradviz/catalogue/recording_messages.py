"""Message templates for recordings and their files: also what is said when they fail."""

from __future__ import annotations

"""Templates by key, as in `gradviz.catalogue.templates`."""

MESSAGES_RECORDING: dict[str, str] = {
    # Files.
    "file.unreadable": "{path} cannot be read: {reason}.",
    "file.not_python": "{path} is not a Python file: its name does not end with .py.",
    "file.not_regular": "it is a pipe or device, not a regular file",
    "file.not_written": "{path} cannot be written: {reason}.",
    "file.invalid": "{file}: {reason}.",
    "file.too_deep": "{file} is too deeply nested to be read.",
    "file.closed": "the code closed its file descriptor",
    "file.size_limit": "this process may write files of at most {limit} bytes (RLIMIT_FSIZE)",
    "file.changed": (
        "The recorded code or another process changed the trace file {path} while it was being"
        " written."
    ),
    "file.removed": "The trace file {path} was removed or renamed while it was being written.",
    "file.writer_lost": "The process that wrote {path} has ended, without the rest of the run.",
    "file.writer_silent": (
        "The process that writes {path} has not answered for {seconds} s; the rest may be missing."
    ),
    "file.writing_rest": "The rest of the run is being written to {path}: {percent}%.",
    # Traces.
    "trace.other_file": "{path} is not a gradviz trace.",
    "trace.other_database": "{path} is a database, but not a gradviz trace.",
    "trace.other_tables": "{path} does not have the tables of a gradviz trace.",
    "trace.newer": (
        "{path} was created by a newer version of gradviz (format {version}; this version reads up"
        " to format {newest}). Update gradviz to open it."
    ),
    "trace.too_old": (
        "{path} was created by a development version of gradviz (format {version}; this version"
        " reads format {known}). Record the run again."
    ),
    "trace.cut_text": "… (cut; {count} characters in all)",
    "trace.exists": "{path} already exists.",
    "trace.locked": (
        "{path} is being written by process {process}. Wait until it ends, or choose another file."
    ),
    "trace.locked.unknown": (
        "{path} is being written by another process. Wait until it ends, or choose another file."
    ),
    "trace.other_lock": (
        "{path} cannot be written: {lock} beside it is a link or a file that gradviz has not made."
        " Move it, or choose another file."
    ),
    "trace.damaged": "{path} is damaged: {reason}.",
    "trace.no_version": "{path} is damaged: it has no format version.",
    "trace.no_end": "{path} is damaged: its end is missing.",
    "trace.no_origin": "{path} is damaged: it does not say which program was recorded.",
    "trace.no_tensor": "{path} is damaged: tensor {tensor} does not exist.",
    "trace.no_elements": "{path} is damaged: the elements of tensor {tensor} are incomplete.",
    "trace.invalid.one": "{path} is not a valid trace: {problem}.",
    "trace.invalid.more": "{path} is not a valid trace: {problem} (first of {count} problems).",
    "damaged": "The trace is damaged: {reason}. It is shown up to the damage.",
    "trace.changing": "it changes faster than it can be read",
    "trace.in_use": "{path} cannot be turned into a single file while it is open elsewhere.",
    "trace.moved": "{path} cannot be written: {reason}. The trace is now in {copy}.",
    "trace.not_single": "{path} cannot be turned into a single file: {reason}.",
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
    # Notes on the recording itself.
    "finding.training_unread": (
        "The run was not searched for mistakes of training, because its trace could not be read "
        "in the program: {reason}"
    ),
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
    "training.leaf": "leaf {number}",
    "root.edge": "gradient edge",
    "thread.engine": "autograd engine",
}
