"""Message templates for jobs in child processes: inputs, files, examples, and how a job ended."""

MESSAGES_JOBS = {
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
}
