"""Message templates for runs: inputs, jobs, what was recorded, What If, lessons and tests."""

from __future__ import annotations

"""Templates by key, as in `gradviz.catalogue.templates`."""

MESSAGES_RUN: dict[str, str] = {
    # Inputs that cannot be created.
    "input.narrowed": "{name} is {narrow} instead of {dtype}, which {device} does not support.",
    "input.failed": "The input {name} cannot be created: {reason}",
    "input.unknown_dtype": "The input {name} has an unknown dtype, {dtype}.",
    "input.no_gradient": (
        "The input {name} cannot require a gradient: its dtype is {dtype}, and only floating-point"
        " and complex tensors can."
    ),
    "input.no_literal": (
        "The input {name} is not a Python literal: {text}. Write a number, a string, or a list or"
        " tuple of them."
    ),
    "input.not_given": "The file has no tensor for {name}. Choose another way to fill it.",
    "input.given_shape": (
        "The file's {name} has shape {found}. For shape {expected}, choose another way to fill it."
    ),
    "input.fractions": (
        "The input {name} cannot be created: {fill} creates fractions, which {dtype} cannot hold."
    ),
    "input.eye": (
        "The input {name} cannot be created: eye needs a shape of two sizes, not {shape}."
    ),
    "input.empty_range": "The input {name} cannot be created: low must be less than high.",
    "input.count": (
        "The number of values for the input {name} of shape {shape} must be {expected}, not"
        " {found}."
    ),
    "input.parameters": "The input {name} cannot be created: {fill} needs {parameters}.",
    "input.file.unreadable": "{path} cannot be read: {reason}.",
    "input.file.damaged": "{path} contains no tensor that can be read ({kind}: {reason}).",
    "input.file.empty": "{path} is empty.",
    "input.file.special": "{path} is not a regular file.",
    "input.file.no_numpy": "{path} is not a file of NumPy, as numpy.save and numpy.savez write it.",
    "input.file.unsafe": (
        "{path} contains other objects than tensors, or is damaged. Only tensors and dicts of"
        " tensors are read (weights_only=True)."
    ),
    "input.file.no_tensor": "{path} contains no tensor.",
    "input.file.single": "{path} contains a single tensor, without the name {tensor}.",
    "input.file.several": (
        "{path} contains several tensors: {names}. Add the name of one, as in {path}:NAME."
    ),
    "input.file.no_key": "{path} contains no tensor named {tensor}. It contains {names}.",
    "input.file.no_safetensors": (
        "Reading {path} requires the package safetensors. Install it with: pip install safetensors"
    ),
    "input.file.name": "The input {name} names no file that ends in {suffixes}.",
    "input.wide": "{name} has more than {parts} parts and is passed as a whole.",
    "input.deep": (
        "{name} is nested more than {depth} levels deep, or contains itself, and is passed as a"
        " whole."
    ),
    "input.not_rebuilt": "{name} cannot be created with other parts. {reason}",
    # Modules.
    "module.no_module": "{name} is not a Module, so it has neither a state dict nor a mode.",
    "module.file": "{text} is not a file with a state dict. It must end in {suffixes}.",
    "module.no_state": "{path} contains no state dict.",
    "module.no_key": "{path} contains no state dict named {state}. It contains {names}.",
    "module.several": (
        "{path} contains several objects, no state dict: {names}. Add the name of one, as in"
        " {path}:NAME."
    ),
    "module.misfit": "{path} does not fit {name}: {reason}",
    "module.failed": "The state dict of {path} cannot be loaded into {name}. {reason}",
    "module.mode.failed": "{name}.{mode}() failed. {reason}",
    "module.loaded": "{name} has the parameters and buffers of {path}.",
    "module.mode": "{name}.{mode}() was called before the run.",
    "input.meta": (
        "The input {name} cannot be created: a tensor on the device meta has no values."
    ),
    "input.misfit": "The input {name} cannot be created: {number} does not fit into {dtype}.",
    # Devices.
    "device.unknown": "Device {name} does not exist here. Available devices: {names}.",
    # What to call.
    "target.class": (
        "{name} is a class but not a torch.autograd.Function. Use an instance of it, or a function."
    ),
    "target.not_callable": "{name} cannot be called: it is of type {type}.",
    "target.no_value": "The example of {name} has no value for {parameter}.",
    "target.no_parameter": "{name} has no parameter {parameter}.",
    "target.undefined": "{file} does not define {name}.",
    "target.no_scene": "There is no scene {scene}.",
    "target.scenes": "Available scenes: {names}.",
    "target.no_jacobians": "The scene {scene} has no Jacobians to check.",
    "target.cell": (
        "A cell of a notebook has no Jacobians. Check a function in a Python file, or call"
        " gradviz.check in the notebook."
    ),
    "target.script": "A script has no Jacobians. Check one of its functions instead.",
    "target.no_function": "This script called no custom Function that could be checked.",
    "target.unknown_arguments": (
        "The arguments of {function} were not recorded completely, or are too large."
    ),
    "target.no_grad_outputs": (
        "The incoming gradients {name} were not found, or are neither a tensor nor several."
    ),
    "target.no_reference": "The reference function {name} was not found or cannot be called.",
    # Examples in a file.
    "examples.failed": "The examples cannot be read: {error}",
    "examples.type": (
        "EXAMPLES in {file} has type {type}. It must be a dict that maps names to arguments."
    ),
    "examples.returned": (
        "examples() in {file} returned an object of type {type}. It must return a dict that maps"
        " names to arguments."
    ),
    "examples.nothing": "{file} defines no Function or Module, and declares no inputs.",
    "examples.not_run": "{file} was only read, not run: line {line} would start its work.",
    "examples.trains": "{file} was only read, not run: it is a program that trains.",
    "examples.key": (
        "EXAMPLES in {file} has a key of type {type}. Keys are names, Functions, modules or"
        " functions."
    ),
    "examples.function": (
        "The example of {name} is a function, and gradviz does not call it. Give the arguments"
        " themselves, which a function examples() can create for all entries; a function that is an"
        " argument stands in a tuple."
    ),
    "examples.undefined": "EXAMPLES contains {name}, which {file} does not define.",
    # Inputs that are made for what has none.
    "made.none": "{name} failed with all inputs that were tried. With the first ones: {reason}",
    "made.no_module": "{name} could not be created. With the first arguments: {reason}",
    # Starting backward.
    "start.by_itself": (
        "The code runs backward itself, so no backward pass is started from its output."
    ),
    "start.complex": "The output is complex, so backward starts from the real part of its sum.",
    "start.only_output": "Backward cannot start from output {position}: there is one output.",
    "start.no_output": "Backward cannot start from output {position}: there are {count} outputs.",
    "start.no_tensor": (
        "Backward cannot start from the output: it is of type {type}, not a tensor."
    ),
    "start.dtype": (
        "Backward cannot start: the output has dtype {dtype}, which cannot have a gradient."
    ),
    "start.no_grad": (
        "Backward cannot start: the output does not require a gradient. Check that an input"
        " requires one and is used in a differentiable way."
    ),
    # Exceptions of the user's code.
    "failed": "{kind}.",
    "failed.message": "{kind}: {message}",
    "failed.line": "{kind} ({file}, line {line}).",
    "failed.line.message": "{kind} ({file}, line {line}): {message}",
    "failed.function": "{kind} in {function} ({file}, line {line}).",
    "failed.function.message": "{kind} in {function} ({file}, line {line}): {message}",
    "failed.exit": "The code called {kind}.",
    "failed.exit.line": "The code called {kind} ({file}, line {line}).",
    "failed.exit.function": "The code called {kind} in {function} ({file}, line {line}).",
    "failed.syntax": "{file}: {message}",
    "failed.syntax.line": "{file}, line {line}: {message}",
    "failed.no_torch": "torch cannot be imported: {reason}.",
    # How a job ended.
    "ending.cancelled": "Canceled.",
    "ending.timed_out": "Stopped at the time limit of {limit}.",
    "ending.timed_out.at": (
        "Stopped at the time limit of {limit}, in {function} ({file}, line {line})."
    ),
    "ending.timed_out_in_c": (
        "Stopped at the time limit of {limit}; C code had blocked Python for {silent}."
    ),
    "ending.timed_out_in_c.at": (
        "Stopped at the time limit of {limit}, in {function} ({file}, line {line}); C code that it"
        " called had blocked Python for {silent}."
    ),
    "ending.silent": "Stopped because C code had blocked Python for {silent}.",
    "ending.silent.at": (
        "Stopped in {function} ({file}, line {line}) because C code that it called had blocked"
        " Python for {silent}."
    ),
    "ending.suspended": (
        "Stopped because a signal, such as SIGSTOP, had suspended its process for {silent}."
    ),
    "ending.out_of_memory": "Stopped because it used {used} of memory; the limit is {limit}.",
    "ending.out_of_memory.at": (
        "Stopped in {function} ({file}, line {line}) because it used {used} of memory; the limit is"
        " {limit}."
    ),
    "ending.trace_full": "Stopped at the limit of {limit} for the size of a trace.",
    # Said after the sentence, on a command line: which option changes the limit.
    "ending.limit.option": "{sentence} Use {option} to change the limit.",
    "ending.crashed": "Crashed with {signal} ({meaning}).",
    "ending.crashed.at": ("Crashed with {signal} ({meaning}) in {function} ({file}, line {line})."),
    "ending.killed": (
        "Killed by SIGKILL. Its own code or another process sent it, or the system because memory"
        " ran out."
    ),
    "ending.killed_by_process": "Killed by SIGKILL, sent by its own code or by another process.",
    "ending.killed_for_memory": "Killed by the system (SIGKILL) because memory ran out.",
    "ending.exited": (
        "The code ended its own process with exit code {exit_code} before it was done."
    ),
    "ending.bug": "gradviz itself failed: {reason}. Please report this with the details.",
    "ending.pipe_lost": (
        "Stopped because its pipe to gradviz was closed. The code probably closed all file"
        " descriptors."
    ),
    "ending.not_started": "The child process could not start: {reason}.",
    "ending.slow_start": "Stopped because importing torch took longer than {limit}.",
    "ending.no_message": "Stopped because the child process sent an invalid message: {reason}.",
    "ending.no_reason": "no reason given",
    # Signals.
    "signal.SIGABRT": "the code called abort",
    "signal.SIGSEGV": "invalid memory access",
    "signal.SIGBUS": "invalid memory access",
    "signal.SIGFPE": "invalid integer operation, such as division by zero",
    "signal.SIGILL": "an instruction that this processor does not support",
    "signal.SIGTERM": "its own code or another process terminated it",
    "signal.SIGALRM": "its alarm or timer ran out",
    "signal.SIGXCPU": "it reached its limit of CPU time",
    "signal.SIGXFSZ": "it reached its limit of file size",
    "signal.other": "a signal ended the process",
    "signal.number": "signal {number}",
    # Quantities.
    "quantity.minutes": "{count:.0f} min",
    "quantity.seconds": "{count:.3g} s",
    "quantity.bytes": "{count} bytes",
    # Pictures.
    "picture.timed_out": "Rendering took more than {seconds:.0f} s.",
    "picture.no_folder": "{path} could not be written: its folder does not exist.",
    "picture.failed": "{path} could not be rendered: {reason}.",
    # Which part of a run was recorded, as a sentence and as a note in the status bar.
    "scope.rank": "Recorded by rank {rank} of {count} processes.",
    "scope.note.rank": "rank {rank} of {count}",
    "scope.passes.one": "Only backward pass {first} of {count} was recorded.",
    "scope.passes.more": "Only backward passes {first} to {last} of {count} were recorded.",
    "scope.passes.sample": (
        "Backward passes {kept} of {count} were recorded, and the loss and gradient norms of all."
    ),
    "scope.kept.one": "{first}",
    "scope.kept.more": "{first} to {last}",
    "scope.passes.count": "{count} passes",
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
    "scope.reason.disk": "less than 5% of the disk was free",
    "scope.reason.size": "the trace reached the limit of {size}",
    "scope.note.stopped": "stopped early: {reason}",
    "scope.only": "Only calls inside of {path} were recorded.",
    "scope.note.only": "only {path}",
    "scope.without.values": "Values of tensors were not recorded.",
    "scope.without.source": "Source code was not recorded.",
    "scope.note.without.values": "no values recorded",
    "scope.note.without.source": "no source recorded",
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
    "lesson.minutes": "minutes is out of range; write a number from 0 to 999.",
    "lesson.page": 'page is not the address of a page; write one such as "https://pytorch.org/docs".',
    "lesson.kind.str": '{entry} is not text; write {entry} = "...".',
    "lesson.kind.bool": "{entry} is neither true nor false; write {entry} = true.",
    "lesson.kind.float": "{entry} is not a number; write {entry} = 2.",
    "lesson.kind.list": '{entry} is not a list; write {entry} = ["graph"].',
    "lesson.listed": "{name:24} {minutes:>3} min  {title}",
    "lesson.stop": "{number}. {headline} ({place})",
    "lesson.no_display": (
        "A lesson needs a display; use `gradviz lesson FILE --print` to print it instead."
    ),
    "lesson.no_lesson": "There is no lesson {name}; use a .gradviz-lesson file or one of {names}.",
    # The handout of a lesson.
    "handout.only_pdf": (
        "A lesson is exported as a handout or as slides; write a path that ends in .pdf or .pptx"
        " instead of {path}."
    ),
    "handout.no_stops": "{path} has no stops; add one with [[stop]].",
    "handout.no_run": "The run of this stop is missing. {reason}",
    "handout.stop": "Stop {number} of {total}",
    "handout.headline": "{number}. {headline}",
    "handout.no_other": "The run to compare with is missing. {reason}",
    "handout.notes": "Notes",
    "handout.answers": "Answers",
    "story.finding": "gradviz: {title}",
    "story.more_boxes.one": "1 more box is not shown.",
    "story.more_boxes.more": "{count} more boxes are not shown.",
    "story.numerical": "numerical",
    "story.analytical": "analytical",
    "story.difference": "difference",
    "story.check_question": "Does backward return the true gradient?",
    "story.check_move": "Move an input by eps",
    "story.check_see": "See how far each output moves",
    "story.check_compare": "Compare with backward",
    "story.check_moved": "{name}, one element at a time",
    "story.check_moved_first": "{name}, one element at a time; then the other inputs",
    "story.check_seen": "{name}: its change over that of the input",
    "story.check_slopes": "That slope is the numerical one. backward must return the same.",
    "story.check_count": (
        "Numbers to check of {function}({inputs}):"
        " {outputs} (output) × {elements} (input) = {count}"
    ),
    "story.no_curve": "The check has no samples of the function along {name}.",
    "story.secant": "secant over ±{eps}: slope {slope}",
    "story.tangent": "backward says: slope {slope}",
    "story.numerical_slope": "numerical derivative",
    "story.backward_slope": "backward",
    "story.curve_samples": "{count} samples of {input} from {low} to {high}",
    "story.curve_poles": "dashed vertical line: pole near {places}",
    "story.curve_jumps": "jumps near {places}",
    "story.curve_gaps": "gaps: no finite value",
    "story.curve_cut": "cut at the frame",
    "story.no_error": "This run ended without an error.",
    "story.no_errors": "The check measured no error against eps for {name}.",
    "story.eps_used": "eps of this check: {eps}",
    "story.tolerance": "tolerance {number}",
    "story.error_line": "|analytical − numerical|",
    "story.sides_line": "right − left difference",
    "story.rounding_line": "expected rounding error",
    "story.errors_at": "error against eps at ∂ {output} / ∂ {input}",
    "story.best_eps": "ring: best eps tried, {eps}, with error {error}",
    "story.error_of_eps": "error with eps {eps}: {error}",
    "story.error_row": (
        "eps {eps}: error {error}, right − left difference {sides}, expected rounding error {floor}"
    ),
    "story.same_error": "nearly the same error at every eps tried: {error}",
    "story.no_finite_error": "no eps gave a finite error",
    "story.zero_errors": "not drawn: zeros",
    "story.no_losses": "This run is no training with a loss.",
    "story.not_kept": "elements were not stored",
    "story.first_sheets": "the first {count} of {total}",
    "story.sampled": "sampled",
    "story.summary": "What we have seen",
    "story.take_home": "Continue at home: {where}",
    "story.no_code": "There is no code of yours at {place}.",
    "story.new_run": "New run: {changes}",
    "story.no_sum": "It is not known how {element} was computed.",
    "story.no_other": "This stop is compared with no run.",
    "story.no_check": "The gradient of {name} was not checked.",
    "story.no_checks": "The gradients were not checked.",
    "tests.line": "{test}: {sentence}",
    "tests.view": "    gradviz view {path}",
    "tests.view_check": "    gradviz view {path} --tab jacobians",
    "tests.failed": "{check} of {name} failed. {reason}",
    "tests.not_reproduced": "gradviz found no error with the options that it supports. {message}",
    "tests.undiagnosed": "gradviz could not examine the {part} ({kind}: {error}).",
    "tests.part.recording": "recording",
    "tests.nan": "The gradient of {name} contains NaN. {origin}",
    "tests.recorded.one": "{count} step was recorded.",
    "tests.recorded.more": "{count} steps were recorded.",
}
