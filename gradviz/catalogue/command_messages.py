"""Message templates of the command line: help, output and errors."""

MESSAGES_COMMANDS = {
    # The command as a whole.
    "help.usage": "gradviz [FILE ...] | gradviz VERB ...",
    "help.description": "Make PyTorch's autograd visible. Without a verb, the window opens.",
    "help.version": "print the versions of gradviz, Python and the libraries it uses",
    "help.verbs": "verbs",
    # Verbs.
    "help.verb.scenes": "list the scenes of the gallery",
    "help.verb.guide": "print the guide's contents, or one of its pages",
    "help.verb.lesson": "play a lesson in the window, or choose one there",
    "help.verb.record": "run a program, an example or a scene and write its trace",
    "help.verb.view": "open a trace in the window, at a step",
    "help.verb.steps": "print every step of a trace",
    "help.verb.check": "compare numerical with analytical Jacobians",
    "help.verb.doctor": "find violations of the rules for custom Functions",
    "help.verb.compare": "show what differs between two runs",
    "help.verb.export": "write the graph of a trace as a figure or a film, or its tensors",
    "help.verb.screenshot": "write a screenshot of the window",
    "help.verb.desktop": "add gradviz to the desktop menu of this user, or remove it",
    "help.verb.completion": "print a script with which a shell completes gradviz's command line",
    # Arguments of several verbs.
    "help.format": "format of what is printed (default: text)",
    "help.device": "device such as cpu or cuda (default: cpu)",
    "help.seed": "seed of the random numbers in the file, the inputs and the run (default: 0)",
    "help.state_dict": (
        "load a state dict into the Module: a .pt, .pth or .safetensors file, with :KEY for one"
        " inside of a checkpoint"
    ),
    "help.mode": "call train() or eval() of the Module first",
    "help.step": (
        "a step such as 5, or a place in it such as 5/backward, 5/backward/line3 or 5/backward/op2,"
        " numbered as by `gradviz steps --level op`"
    ),
    "help.trace": (
        "a trace, - for one on standard input, or code to run: id of a gallery scene or an entry of"
        " EXAMPLES in a file"
    ),
    "help.tab": "the tab of the window that it shows",
    "help.theme": "the theme of the picture or window",
    "help.size": "size in pixels",
    "help.size.default": "size in pixels (default: {size})",
    "help.step.first": "{form} (default: the first step)",
    "help.step.last": "{form} (default: the last step)",
    # Arguments of one verb.
    "help.guide.page": "id of a scene or chapter, or a part of a message of torch",
    "help.lesson.lesson": (
        "a .gradviz-lesson file, or the name of a lesson that ships with gradviz"
        " (default: choose one in the window)"
    ),
    "help.lesson.print": (
        "print its stops with questions, notes and solutions instead; without a lesson, list all"
    ),
    "help.record.usage": (
        "gradviz record [options] SCRIPT.py [ARGUMENTS ...]\n"
        "       gradviz record [options] -m MODULE [ARGUMENTS ...]\n"
        "       gradviz record [options] SCENE\n"
        "       gradviz record [options] FILE.py:NAME"
    ),
    "help.record.programs": (
        "SCRIPT.py, a folder or zip file with a __main__.py, and MODULE run as with python:"
        " everything after them is passed to the program,"
        " its input, output and exit code are unchanged, and EXAMPLES in the file are ignored. If"
        " the program succeeds and its recording fails, the exit code is 2."
        " FILE.py:NAME runs only that entry of EXAMPLES; package.module:NAME does so too."
    ),
    "help.record.target": (
        "a program, the id of a gallery scene, or an entry of EXAMPLES in a Python file"
    ),
    "help.record.module": "run a module as a program, as python -m does",
    "help.record.output": (
        "the trace to write; an existing trace is replaced (default: the name of what is recorded"
        " and .gradviz, in the working directory, with a number if that file exists); - for"
        " standard output"
    ),
    "help.record.budget": (
        "limit for the stored elements of tensors, such as 64M or 2G; beyond it only statistics are"
        " stored (default: 256M)"
    ),
    "help.notebook": "Record what autograd does in a cell, and display the recording.",
    "help.notebook.output": "the trace to write (default: a temporary one)",
    "help.notebook.level": (
        "what to record: node steps, also their ops, also the source lines of custom Functions, or"
        " all of these (default: all)"
    ),
    "help.notebook.passes": "backward passes to record, such as 3, 3:5 or 3: (default: all)",
    "help.notebook.max_size": (
        "stop recording when the trace has reached this size, such as 500M or 2G (default: no"
        " limit)"
    ),
    "notebook.cell": "Cell {number}",
    "notebook.usage": "{error} (%%gradviz? lists the options)",
    "notebook.empty": "{file} contains no code.",
    "notebook.failed": "{cell} cannot be run: {error}",
    "notebook.ignored": "These lines are for Jupyter and are ignored: {magics}.",
    "notebook.language": "{file} is a notebook for {language}; only Python can be run.",
    "notebook.magic": "{magic} (cell {number})",
    "notebook.offer": "{cell}: {summary}",
    "notebook.none": "{file} is not a Jupyter notebook of version 4.",
    "help.record.level": (
        "what to record: node steps, also their ops, also the source lines of custom Functions, or"
        " all of these (default: nodes)"
    ),
    "help.record.passes": (
        "which backward passes to record, counted from 1: all, 3, 3:5 (both included), 3:, :5,"
        " last, or last:2 for the last two; each with the forward before it and the optimizer steps"
        " after it. A pass that runs inside another one belongs to it and is not counted (default:"
        " of a long run, 1 to 20, then 50, 100, 200, 500 and so on, the 20 after a loss or gradient"
        " becomes NaN or Inf, 5 where one jumps, up to 20 near the end, and the loss and gradient"
        " norms of all; with --until, all)"
    ),
    "help.record.until": (
        "stop recording after the first backward pass in which this has come true, while the"
        " program runs on: nan or inf (an element of a recorded tensor), or a comparison such as"
        ' "loss > 10" with the number on which backward is called'
    ),
    "help.record.max_size": (
        "limit for the size of the trace, such as 500M or 2G (default: 2G). A program runs on"
        " without recording from the end of the call or backward pass that reaches it, or when less"
        " than 5%% of the disk is free; the run of a scene or an entry is stopped"
    ),
    "help.max_size": ("stop a run whose trace becomes larger, such as 500M or 2G (default: 2G)"),
    "help.output_limit": (
        "limit for the printed characters that the trace of a scene or an entry stores, such as"
        " 10M; the rest is counted (default: 1 million)"
    ),
    "help.time_limit": "stop a run after this time, such as 90, 90s or 2m (default: no limit)",
    "help.time_limit.some": (
        "stop a run after this time, such as 90, 90s or 2m (default: {count:g} seconds)"
    ),
    "help.memory_limit": (
        "stop a run whose processes use more memory, such as 4G (default: {percent}%% of this"
        " machine's memory)"
    ),
    "help.record.only": (
        "record only calls inside of a module, given by its path in the model such as encoder.0 or"
        " by the class of the model, or inside of functions, given as name, Class.name or"
        " package.module.name or by the beginning of such a name; and what backward does for them"
    ),
    "help.record.no_values": (
        "store no elements or statistics of tensors: only steps, shapes and the graph; numbers and"
        " lists of Python's own, and what the program prints, are stored"
    ),
    "help.record.no_source": (
        "store no source code; names of files, functions and variables are stored"
    ),
    "help.steps.level": (
        "how far to look inside: passes, nodes (default), or their stages, lines or ops"
    ),
    "help.steps.steps": "only some steps: 2:9 (both included), or 2: for all from there",
    "help.steps.pass": (
        "only a backward pass, by its number, with the forward before it and the optimizer steps"
        " after it"
    ),
    "help.steps.format": (
        "format of what is printed; jsonl has a line of JSON for each step (default: text)"
    ),
    "help.steps.find": "instead show where the first one came from",
    "help.doctor.targets": (
        "a Python file; its examples run as well, or only the one with this name; or a folder, "
        "for all its Python files"
    ),
    "help.doctor.select": "report only these rules, given by id or the beginning of an id",
    "help.doctor.ignore": "leave out these rules",
    "help.doctor.no_run": "read the files without running their examples",
    "help.doctor.format": (
        "format of the report (default: that of OUT, which is .json, .sarif or .xml for JUnit;"
        " otherwise text)"
    ),
    "help.doctor.output": "file for the report (default: the terminal)",
    "help.doctor.rules": "list all rules and exit",
    "help.export.steps": (
        "a figure of each step: 2:9 (both included), 2: or all; a page each in a PDF, otherwise a"
        " file each, such as graph-2.svg; for a film, the steps that it shows (default: all)"
    ),
    "help.export.seconds": "seconds for each step of a film (default: {seconds:g})",
    "help.export.scale": (
        "pixels of a PNG for each unit of the figure (default: 2, or 1 with --size); at most 16,000"
        " pixels a side"
    ),
    "help.export.transparent": "leave out the background",
    "help.export.with": (
        "for a .html page: a second run, which the page compares with the first, step by step; a"
        " trace, id of a gallery scene or FILE.py:NAME"
    ),
    "help.export.slides": (
        "write 16:9 slides to a .pdf or, as texts and shapes that can be edited in PowerPoint, to a"
        " .pptx: for a run, those of each step; for a lesson, those of each stop"
    ),
    "help.export.paper": "paper of a handout (default: a4)",
    "help.export.bare": "the graph alone, without title, sentence and legend",
    "help.export.text": "the text of an .svg: paths look the same in every program; font keeps text"
    " and embeds the characters in use (default: paths)",
    "help.export.output": (
        "a .svg, .png, .pdf, .dot, .mmd (Mermaid) or .drawio file of the graph, .gif or .mp4 for a"
        " film of its steps, .html for a page that steps through the run, .tex for the values of a"
        " step, .tikz for the graph in LaTeX, .npz or .safetensors for all tensors of the run, or -"
        " for an SVG on standard output; for a lesson, a .pdf handout with a page for each stop and"
        " the answers at the end; for both, .pptx for slides"
    ),
    "help.compare.iterations": (
        "compare iteration M of LEFT with iteration N of RIGHT, or of LEFT without RIGHT"
    ),
    "help.compare.dtype": "cast all floating-point inputs of RIGHT to this dtype",
    "help.compare.device": "device to run RIGHT on (default: same as LEFT)",
    "help.screenshot.output": "the .png file to write",
    "help.screenshot.with": (
        "with --tab compare: the run on the right; a trace, id of a gallery scene or FILE.py:NAME"
    ),
    "help.desktop.install": "install menu entry, icons and file type",
    "help.desktop.remove": "remove them",
    "help.completion.shell": "the shell that runs the script",
    "help.completion.use": (
        'For bash, put this line into ~/.bashrc: eval "$(gradviz completion bash)". For zsh, put'
        ' this line into ~/.zshrc, after compinit: eval "$(gradviz completion zsh)". For fish, run'
        " once: gradviz completion fish > ~/.config/fish/completions/gradviz.fish"
    ),
    # Arguments of check.
    "help.check.exit_codes": (
        "Exit code: 0 passed, 1 failed, 2 error, 3 inconclusive: in low precision, rounding"
        " explains all differences."
    ),
    "help.check.settings": "settings",
    "help.check.outputs": "output",
    "help.check.targets": (
        "the id of a gallery scene; an entry of EXAMPLES in a file, or all of them; or a trace,"
        " whose stored checks are printed; may be repeated"
    ),
    "help.check.order": (
        "1 checks the function (gradcheck), 2 its backward (gradgradcheck), both runs one after the"
        " other (default: 1)"
    ),
    "help.check.number": "{meaning} (default: {default:g})",
    "help.check.eps": "step of the finite difference",
    "help.check.atol": "absolute tolerance",
    "help.check.rtol": "relative tolerance",
    "help.check.nondet_tol": "allowed difference between two runs of the same backward",
    "help.check.cast": (
        "cast inputs to float64 first, or never (default: if the function runs in float64)"
    ),
    "help.check.forward_mode": (
        "compare forward mode too; auto (default) does so if there is a jvp, without affecting the"
        " verdict"
    ),
    "help.check.batched": "compare vmap over backward too",
    "help.check.batched_forward": "compare vmap over forward mode too",
    "help.check.masked": "vary only the specified elements of sparse inputs",
    "help.check.noncontiguous": "for order 2, draw incoming gradients that are not contiguous",
    "help.check.no_backward_mode": "compare only forward mode",
    "help.check.no_undefined": "try no undefined gradients",
    "help.check.fast": "first compare products with random vectors",
    "help.check.no_battery": "skip incoming gradients that gradcheck never tries",
    "help.check.variations": "also try other sizes, strides and dtypes",
    "help.check.reference": (
        "a plain version of the function to compare with; a bare NAME is in the checked file, and"
        " torch.nn.functional.NAME is torch's own"
    ),
    "help.check.grad_outputs": (
        "for order 2, incoming gradients: a tensor, several, or a function that returns them"
    ),
    "help.check.nudge": "first move the inputs by this much, away from a kink",
    "help.check.format": (
        "format of what is printed (default: text); json is one document, or a list for several"
        " checks"
    ),
    "help.check.output": (
        "file to write besides: .xml for a JUnit report for CI, .npz for all matrices, .svg or"
        " .png for the heatmaps; may be repeated"
    ),
    "help.check.pair": "draw only the heatmaps of this input, or of OUTPUT/INPUT",
    "help.check.theme": "theme of the heatmaps (default: light)",
    # An argument that cannot be read; argparse names it.
    "argument.positive": "{text} is not a positive integer",
    "argument.seed": "{text} is not an integer from 0 to 2147483647",
    "argument.tolerance": "{text} is not a non-negative number",
    "argument.place": "{text} is not a place such as 5/backward/line3",
    "argument.seconds": "{text} is not a time like 90, 90s or 2m",
    "argument.bytes": "{text} is not a size like 64M or 2G",
    "argument.passes": "{text} is not a range of passes like 3, 3:5 or last:2",
    "argument.until": '{text} is not nan, inf or a comparison like "loss > 10"',
    "argument.iterations": "{text} is not two iterations like 3,30",
    "argument.steps": "{text} is not a range of steps like 2:9 or 2:, or all",
    "argument.scale": "{text} is not a scale like 2 or 1.5",
    "argument.film_seconds": "{text} is not a time from {least:g} to {most:g} seconds, like 1.5",
    "argument.size": "{text} is not a size like 1280x800",
    # Texts of argparse, as they are in its source, with its placeholders.
    "argparse.usage": "usage: ",
    "argparse.positionals": "positional arguments",
    "argparse.options": "options",
    "argparse.heading": "%(heading)s:",
    "argparse.help": "show this help message and exit",
    "argparse.argument": "argument %(argument_name)s: %(message)s",
    "argparse.choice": "invalid choice: %(value)r (choose from %(choices)s)",
    "argparse.verb": "unknown parser %(parser_name)r (choices: %(choices)s)",
    "argparse.type": "invalid %(type)s value: %(value)r",
    "argparse.required": "the following arguments are required: %s",
    "argparse.required.one": "one of the arguments %s is required",
    "argparse.exclusive": "not allowed with argument %s",
    "argparse.explicit": "ignored explicit argument %r",
    "argparse.expected.one": "expected one argument",
    "argparse.expected.at_most_one": "expected at most one argument",
    "argparse.expected.at_least_one": "expected at least one argument",
    "argparse.expected.count.one": "expected %s argument",
    "argparse.expected.count.more": "expected %s arguments",
    "argparse.ambiguous": "ambiguous option: %(option)s could match %(matches)s",
    "argparse.unexpected": "unexpected option string: %s",
    "argparse.unrecognized": "unrecognized arguments: %s",
    # Errors that end a command.
    "command.usage": "{problem}. See {program} --help.",
    "command.did_you_mean": "Did you mean {word}?",
    "command.code": "{path} is code, not a trace. {advice}",
    "command.entries": "It defines {names}: add a name, as in `{entry}`.",
    "command.entries.record": "It defines {names}: add a name, as in `gradviz record {entry}`.",
    "command.no_subject": "The id of a scene or FILE.py:NAME is required. See --help.",
    "command.recorded": (
        "{path} is a trace, not a program. Open it with `gradviz {path}`, or print its steps with"
        " `gradviz steps {path}`."
    ),
    "command.lesson": "{path} is a lesson, not a program. Play it with `gradviz lesson {path}`.",
    "command.notebook": (
        "{path} is a notebook. Open it with `gradviz {path}`, or record one of its cells with"
        " `gradviz record {path}:cell_1`."
    ),
    "command.no_target": (
        "{target} is not of the form FILE.py:NAME, nor a module that exists and a name in it"
        " (package.module:NAME)."
    ),
    "command.program.stdout": (
        "The program has standard output for itself. Name a file for the trace with -o."
    ),
    "command.program.run_option": "{option} requires a scene or FILE.py:NAME.",
    "command.program.problem": "gradviz: {problem}",
    "command.program.progress": "gradviz: {passes}, {steps} recorded, {size} so far",
    "command.program.option": "{option} requires a program: SCRIPT.py or -m MODULE.",
    "command.program.limit": (
        "{option} requires a scene or an entry of a file: a program runs as with python, without"
        " limits on its time, memory and output."
    ),
    "command.program.nothing": "{program} recorded no use of autograd, so no trace was written.",
    "command.program.no_call": (
        "{program} made no recorded call inside of {path}, so no trace was written."
    ),
    "command.program.no_pass.one": (
        "{program} ran 1 backward pass, so none of {passes} was recorded and no trace was written."
    ),
    "command.program.no_pass.more": (
        "{program} ran {count} backward passes, so none of {passes} was recorded and no trace was"
        " written."
    ),
    "command.no_file": "The file {path} does not exist.",
    "command.folder": "{path} is a folder. Name a file in it.",
    "command.special_file": "{path} is not a regular file.",
    "command.no_working_directory": (
        "The working directory no longer exists. Change to another folder."
    ),
    "command.no_folder": "The folder {path} does not exist.",
    "command.no_examples": "{path} declares no examples.",
    "command.no_example": "{path} declares no example for {name}; it has examples for {names}.",
    "command.not_found": "{path} defines no {name} that can be run. It defines {names}.",
    "command.not_run": (
        "{problem} Declare inputs in its EXAMPLES, or record all of it: gradviz record {path}"
    ),
    "command.undeclared": "{path} declares no inputs for {names}.",
    "command.declare": "{problem} Add these lines at its end:",
    "command.not_described": "{path} could not be read.",
    "command.not_opened": (
        "{path} is not a Python file (.py), a notebook (.ipynb), a trace (.gradviz) or a lesson"
        " (.gradviz-lesson)."
    ),
    "command.no_verb": "{path} is neither a file, a scene nor a command.",
    "command.suffix": "{path} must end in {suffix}.",
    "command.pair": "--pair requires -o with a .svg or .png file.",
    "command.with": "--with requires --tab compare.",
    "command.one_check": (
        ".npz, .svg and .png files hold one check: name one target and one order."
    ),
    "command.both_orders": "{path} contains checks of both orders; an output file takes only one.",
    "command.slides": "slides",
    "command.stdout": "standard output",
    "command.terminal": "A trace is not text. Redirect standard output, or name a file with -o.",
    "command.no_input": "Standard input contains no trace.",
    "command.no_effect": "{option} has no effect on {path}.",
    "command.odd_size": "{path} needs an even width and height, such as {size}.",
    "command.no_effect.tab": "{option} has no effect with --tab {tab}.",
    "command.only_read": (
        "{path} is a trace, which is only read: options that limit a run require a scene or"
        " FILE.py:NAME."
    ),
    "command.tab": "The {tab} tab cannot be exported as {path}.",
    "command.no_checks": "{path} contains no Jacobian checks.",
    "command.no_report": "The check ended without a report.",
    "command.no_trace": "{title} wrote no trace.",
    "command.not_recorded": "Nothing was written to {path}.",
    "command.recorded_part": "{reason} The steps recorded until then are in {path}.",
    "command.compare_what": (
        "Name a second run to compare with, or two iterations of one run with --iterations."
    ),
    "command.no_iterations": "The run has fewer than two recorded iterations.",
    "command.no_iteration": "Iteration {number} was not recorded; the nearest one is {nearest}.",
    "command.trace_side": (
        "{path} is a trace; --dtype and --device only apply to code that is run."
    ),
    "command.stopped": "stopped.",
    "command.stopped.part": "stopped. What was recorded until then is in {path}.",
    "command.refused": "The system refused: {reason}.",
    "command.refused.file": "{path} cannot be used: {reason}.",
    "command.bug": (
        "This is a bug in gradviz: {kind}: {error} ({function}, line {line}). Set GRADVIZ_DEBUG=1"
        " to see the traceback."
    ),
    "command.no_desktop": (
        "Desktop entries exist only on Linux and similar systems. On this system, start gradviz"
        " from a terminal, and open traces with `gradviz view`."
    ),
    "command.not_changed": "{path} cannot be changed: {reason}.",
    "command.no_output": "The output cannot be written: {reason}.",
    # Missing system libraries.
    "library.missing.one": (
        "A library is missing from the system ({names}). Install it with: {command}"
    ),
    "library.missing.more": (
        "{count} libraries are missing from the system ({names}). Install them with: {command}"
    ),
    "library.unknown.one": (
        "A library is missing from the system. Install the package that provides {names}."
    ),
    "library.unknown.more": (
        "{count} libraries are missing from the system. Install the packages that provide {names}."
    ),
    # Missing Python packages.
    "packages.record": (
        "Running code needs {names}, which is not installed. Install it with: {command}"
    ),
    "packages.draw": (
        "Drawing a graph needs Graphviz: install it so that dot is on the PATH, or install {names}"
        " with: {command}"
    ),
    "packages.view": "The window needs {names}. Install what is missing with: {command}",
    "packages.film": "Films need {names}. Install what is missing with: {command}",
    "packages.slides": (
        "Slides for PowerPoint need {names}. Install what is missing with: {command}"
    ),
    "packages.name_clash": (
        "Another package named {other} is installed, which has the same import and command as this"
        " program ({ours}). Uninstall both, then install only {ours}."
    ),
    # Output.
    "command.progress": "Computing Jacobians: {done} of {total} evaluations",
    "command.progress.diagnosis": "Jacobians are computed. Diagnosis: {done} evaluations so far",
    "command.recorded.one": "{path}: 1 step",
    "command.recorded.more": "{path}: {count} steps",
    "command.program.unwritten": (
        "The rest of the run could not be written to the trace, as on a full disk."
    ),
    "command.program.passed": (
        "Passed to {program}: {options}. Options of gradviz come before the program."
    ),
    "command.program.recorded": (
        "Recorded {steps} of {passes} ({size}) in {path}. Open it with: gradviz {quoted}"
    ),
    "command.no_display": "There is no display, so the window is rendered to image files:",
    "command.no_pass": "The trace has no backward pass {number}.",
    "command.step_or_steps": "Use --step or --steps, not both.",
    "command.drawing": "Drawing figures: {done} of {total}",
    "command.files.one": "{first}",
    "command.files.more": "{first} to {last}: {count} files",
    "command.pages.one": "{path}: 1 page",
    "command.pages.more": "{path}: {count} pages",
    "command.slides.one": "{path}: 1 slide",
    "command.slides.more": "{path}: {count} slides",
    "command.encoding": "Encoding steps: {done} of {total}",
    "command.film.one": "{path}: 1 step, {seconds} s",
    "command.film.more": "{path}: {count} steps, {seconds} s",
    "command.sampled.one": "1 array in {path} is only a sample of its tensor.",
    "command.sampled.more": "{count} arrays in {path} are only samples of their tensors.",
    "command.missing.one": "1 tensor is not in {path}, because its elements were not kept.",
    "command.missing.more": (
        "{count} tensors are not in {path}, because their elements were not kept."
    ),
    "command.wrote": "wrote {path}",
    "command.removed": "removed {path}",
    "command.ran": "ran {program}",
    "command.nothing_installed": "Nothing was installed.",
    "version.missing": "not installed",
    "version.no_dot": "not on PATH",
    "version.library": "not on PATH (the library in pygraphviz is used)",
    "version.silent_dot": "does not respond ({error})",
    "version.unknown": "unknown",
}
"""Templates by key, as in `gradviz.catalogue.templates`."""
