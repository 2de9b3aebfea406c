"""Message templates for trace files that cannot be read or written."""

MESSAGES_TRACE = {
    "trace.other_file": "{path} is not a gradviz trace.",
    "trace.other_database": "{path} is a database, but not a gradviz trace.",
    "trace.other_tables": "{path} does not have the tables of a gradviz trace.",
    "trace.newer": (
        "{path} was created by a newer version of gradviz (format {version}; this version reads up"
        " to format {newest}). Update gradviz to open it."
    ),
    "trace.too_old": (
        "{path} was created by a development version of gradviz (format {version}; this version"
        " reads from format {oldest}). Record the run again."
    ),
    "trace.cut_text": "… (cut; {count} characters in all)",
    "trace.older": (
        "{path} was created by an older version of gradviz (format {version}). You can open it, but"
        " you cannot append to it."
    ),
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
    "damaged": "The trace is damaged: {reason}. Only what is intact is shown.",
    "damaged.steps.one": "One of {total} steps is missing.",
    "damaged.steps.more": "{count} of {total} steps are missing.",
    "damaged.records.one": "One other record cannot be read.",
    "damaged.records.more": "{count} other records cannot be read.",
    "damaged.step": "the trace does not contain it",
    "damaged.node": "missing node",
    "damaged.tensor": "its record is missing",
    "trace.changing": "it changes faster than it can be read",
    "trace.in_use": "{path} cannot be turned into a single file while it is open elsewhere.",
    "trace.moved": "{path} cannot be written: {reason}. The trace is now in {copy}.",
    "trace.not_single": "{path} cannot be turned into a single file: {reason}.",
}
"""Templates by key, as in `gradviz.catalogue.messages`."""
