"""Message templates about lesson files."""

MESSAGES_LESSONS = {
    "lesson.unread": "{path} cannot be read: {reason}.",
    "lesson.other_name": "{path} is not a lesson: its name does not end with {suffix}.",
    "lesson.unwritten": "{path} cannot be written: {reason}.",
    "lesson.not_utf8": "{path} is not UTF-8 text; save it as UTF-8.",
    "lesson.not_toml": "{name} is not valid TOML: {problem}.",
    "lesson.too_large": "{name} is too large for a lesson.",
    "lesson.too_deep": "{name} is too deeply nested for a lesson.",
    "lesson.long_number": "{name} has a number of too many digits.",
    "lesson.too_long": "{entry} is too long; write at most {most} characters.",
    "lesson.problem": "{name}, line {line}: {problem}",
    "lesson.unknown_key": "{entry} is not a key of a lesson; use one of {known}.",
    "lesson.no_title": 'title is missing; write title = "..." in the first line.',
    "lesson.stops": "stop is not a list; begin each stop with the line [[stop]].",
    "lesson.no_run": "A stop needs either scene or trace; write one of them.",
    "lesson.trace": (
        "trace {trace} is neither embedded in this file nor a .gradviz file; write the path of a"
        " trace."
    ),
    "lesson.traces": "traces is not a table; write the embedded traces below [traces].",
    "lesson.embedded": (
        "The embedded trace {trace} is damaged; add its stops to the lesson again, or write the"
        " path of a trace."
    ),
    "lesson.embedded.too_large": (
        "The embedded traces are larger than {size} MiB; write the paths of traces."
    ),
    "lesson.tab": "tab {tab} does not exist; use one of {tabs}.",
    "lesson.check": "check needs a scene; a trace shows the checks stored in it.",
    "lesson.arithmetic": 'arithmetic is not an element; write one such as "grad_weight[0, 2]".',
    "lesson.zoom": "zoom is out of range; write a percentage from {least} to {most}.",
    "lesson.minutes": "minutes is out of range; write a number from 0 to 999.",
    "lesson.hide": "hide has no {what}; use some of {known}.",
    "lesson.kind.str": '{entry} is not text; write {entry} = "...".',
    "lesson.kind.bool": "{entry} is neither true nor false; write {entry} = true.",
    "lesson.kind.int": "{entry} is not a whole number; write {entry} = 100.",
    "lesson.kind.float": "{entry} is not a number; write {entry} = 2.",
    "lesson.kind.list": '{entry} is not a list; write {entry} = ["answer"].',
    "lesson.listed": "{name:24} {minutes:>3} min  {title}",
    "lesson.stop": "{number}. {headline} ({place})",
    "lesson.no_display": (
        "A lesson needs a display; use `gradviz lesson FILE --print` to print it instead."
    ),
    "lesson.no_lesson": "There is no lesson {name}; use a .gradviz-lesson file or one of {names}.",
    # The handout of a lesson.
    "handout.only_pdf": (
        "A lesson is exported as a handout in a PDF; write a path that ends in .pdf instead of"
        " {path}."
    ),
    "handout.no_stops": "{path} has no stops; add one with [[stop]].",
    "handout.no_run": "The run of this stop is missing. {reason}",
    "handout.stop": "Stop {number} of {total}",
    "handout.headline": "{number}. {headline}",
    "handout.where": "{title} · {where}",
    "handout.left": "Left: {where}",
    "handout.right": "Right: {where}",
    "handout.no_other": "The run to compare with is missing. {reason}",
    "handout.no_counterpart": "No step of {title} corresponds to this one.",
    "handout.lines": "{file}, lines {first} to {last}",
    "handout.question": "Question",
    "handout.notes": "Notes",
    "handout.answers": "Answers",
    "slide.part": "Part of the graph",
    "slide.range": "from {minimum} to {maximum}",
    "slide.more_values.one": "1 more value",
    "slide.more_values.more": "{count} more values",
}
