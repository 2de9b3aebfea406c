"""All English message templates by key, ready for translation."""

from __future__ import annotations

from gradviz.catalogue.analysis_messages import MESSAGES_ANALYSIS
from gradviz.catalogue.check_messages import MESSAGES_CHECK
from gradviz.catalogue.command_messages import MESSAGES_COMMANDS
from gradviz.catalogue.diagnoses import MESSAGES_DIAGNOSES
from gradviz.catalogue.doctor_messages import MESSAGES_DOCTOR
from gradviz.catalogue.document_messages import MESSAGES_DOCUMENT
from gradviz.catalogue.error_messages import MESSAGES_ERRORS
from gradviz.catalogue.finding_kinds import MESSAGES_KINDS
from gradviz.catalogue.page_messages import MESSAGES_PAGE
from gradviz.catalogue.recording_messages import MESSAGES_RECORDING
from gradviz.catalogue.report_messages import MESSAGES_REPORT
from gradviz.catalogue.rules import MESSAGES_RULES
from gradviz.catalogue.run_messages import MESSAGES_RUN
from gradviz.catalogue.step_messages import MESSAGES_STEPS
from gradviz.catalogue.training_messages import MESSAGES_TRAINING

MESSAGES = {
    **MESSAGES_ANALYSIS,
    **MESSAGES_CHECK,
    **MESSAGES_COMMANDS,
    **MESSAGES_DIAGNOSES,
    **MESSAGES_DOCTOR,
    **MESSAGES_DOCUMENT,
    **MESSAGES_ERRORS,
    **MESSAGES_KINDS,
    **MESSAGES_PAGE,
    **MESSAGES_RECORDING,
    **MESSAGES_REPORT,
    **MESSAGES_RULES,
    **MESSAGES_RUN,
    **MESSAGES_STEPS,
    **MESSAGES_TRAINING,
    # The language's own name, what separates the thousands of a number, and what ends a sentence.
    "language.name": "English",
    "language.group_separator": ",",
    "language.full_stop": ".",
    "language.percent": "%",
    # Lists, without a comma before "and".
    "json.left_out": "its elements are damaged, or this step lists them too often",
    "list.two": "{first} and {last}",
    "list.more": "{first}, {rest}",
    # The same for what a line of code does, one verb each.
    "clause.two": "{first} and {last}",
    "clause.more": "{first}, {rest}",
    "or.two": "{first} or {last}",
    "or.more": "{first}, {rest}",
    # One value.
    "value.none": "None for {name}",
    "value.object": "{name} = {text}",
    "value.scalar": "{name} = {value}",
    "value.tensor": "{name} {shape}",
    "value.filled": "{name} {shape} (all {value})",
    "value.zeros": "zeros",
    "value.ones": "ones",
    "shape.scalar": "scalar",
    "shape.sparse": "sparse {shape}",
    "shape.nested": "nested",
    "shape.uninitialized": "uninitialized",
    "shape.undescribed": "undescribed",
    # One gradient.
    "gradient.none": "None for {name}",
    "gradient.object": "{text} for {name}",
    "gradient.scalar": "the gradient {value} for {name}",
    "gradient.a": "a {shape} gradient for {name}",
    "gradient.an": "an {shape} gradient for {name}",
    "gradient.named": "{name} {shape}",
    "gradient.several": "gradients for {gradients}",
    "gradient.several.others": "{gradients}, and {others}",
    # One gradient on its way to the next node.
    "flow.none": "None to {name}",
    "flow.object": "{text} to {name}",
    "flow.scalar": "a gradient of {value} to {name}",
    "flow.a": "a {shape} gradient to {name}",
    "flow.an": "an {shape} gradient to {name}",
    # Forward steps.
    "forward.custom": "{function}.forward takes {inputs} and returns {outputs}.",
    "forward.custom.empty": "{function}.forward takes no arguments and returns {outputs}.",
    "forward.dirty": "It changes {name} in place, from version {before} to {after}, and marks it.",
    "forward.in_place": "It changes {name} in place, from version {before} to {after}.",
    "forward.unmarked": (
        "It changes {name} in place, from version {before} to {after}, but does not mark it."
    ),
    "forward.saves": "It saves {saved} for backward.",
    "saved.position": "argument {number} of save_for_backward",
    "forward.saves.nothing": "It saves no tensors for backward.",
    "forward.intermediate": (
        "{names} is neither an input nor an output, so a second derivative treats it as a constant."
    ),
    "forward.intermediates": (
        "{names} are neither inputs nor outputs, so a second derivative treats them as constants."
    ),
    "forward.custom.unfinished": "{function}.forward was called with {inputs} but did not finish.",
    "forward.custom.unfinished.empty": "{function}.forward was called but did not finish.",
    "forward.builtin": "{op} takes {inputs} and returns {outputs}; "
    "autograd adds {nodes} to the graph.",
    "forward.builtin.maps": "{op} maps {input} to {outputs} using {others}; "
    "autograd adds {nodes} to the graph.",
    "forward.builtin.maps.alone": "{op} maps {input} to {outputs}; "
    "autograd adds {nodes} to the graph.",
    "forward.builtin.nodes": "{count} nodes ({nodes})",
    "forward.nothing": "nothing",
    # Backward steps.
    "begin": "The backward pass starts at {node} with {gradient}.",
    "begin.number": "Backward pass {number} starts at {node} with {gradient}.",
    "begin.unknown": "Backward pass {number} starts; the trace does not contain where.",
    "begin.create_graph": "It records its own graph (create_graph=True), so it "
    "can be differentiated again.",
    "begin.parent": "It runs inside backward pass {number}.",
    "node.custom": "{backward} receives {incoming} and returns {returned}.",
    "node.custom.unfinished": "{backward} receives {incoming} but does not finish.",
    "node.custom.refused": (
        "{backward} receives {incoming} and returns {returned}. Torch rejects this result."
    ),
    "node.builtin": "{node} receives {incoming} and passes on {passed}.",
    "node.builtin.end": "{node} receives {incoming} and passes nothing on.",
    "node.builtin.unfinished": "{node} receives {incoming} but does not finish.",
    "question.custom": "What does {backward} return for {incoming}?",
    "question.builtin": "What does {node} pass on for {incoming}?",
    "node.zeros": "Undefined gradients arrive as zeros: {names}.",
    "node.reduced": "The engine sums the gradient for {name} from {before} to {after}.",
    "node.reduced.to": "{name} to {after}",
    "node.reduced.several": "The engine sums the gradients for {gradients}.",
    "node.cast": "The engine casts the gradient for {name} from {before} to {after}.",
    "node.cast.to": "{name} to {after}",
    "node.cast.several": "The engine casts the gradients for {gradients}.",
    "node.reduced_and_cast.to": "{name} to {after}",
    "node.reduced_and_cast.several": "The engine sums and casts the gradients for {gradients}.",
    "node.reduced_and_cast": (
        "The engine sums and casts the gradient for {name} from {before} to {after}."
    ),
    "node.dropped": "The gradient for {name} is discarded because {name} does not need one.",
    "accumulate.first": "{name}.grad is set to {contribution}.",
    "accumulate.unknown": "{contribution} arrives at {name}.grad.",
    "accumulate.more": "{contribution} is added to {name}.grad.",
    "accumulate.dropped": "{name} requires no gradient any more: {contribution} is dropped.",
    "accumulate.unfinished": "{name} receives {contribution}.",
    "accumulate.which": "{name} is used in line {line}.",
    "accumulate.nothing": "No gradient arrives for {name}.",
    "contribution.scalar": "the gradient {value}",
    "contribution.tensor": "the {shape} gradient",
    "end": "The backward pass is complete.",
    "step.missing": "This step is missing: {reason}.",
    "step.missing.named": "The step of {name} is missing: {reason}.",
    "end.number": "Backward pass {number} is complete.",
    "end.results": "The backward pass is complete; it returns {results}.",
    "end.number.results": "Backward pass {number} is complete; it returns {results}.",
    "end.later.name": "{name}.grad",
    "end.later": "{names} changed again before the end of the pass.",
    "end.later.exchanged": (
        "{names} changed again before the end of the pass, when DistributedDataParallel exchanges"
        " gradients with the other processes."
    ),
    # Errors.
    "error": "{exception}: {message}",
    "error.forward": "{function}.forward raised {exception}: {message}",
    "error.backward": "{backward} raised {exception}: {message}",
    "error.engine": "Torch rejected what {backward} returned: {message}",
    "error.node": "{node} raised {exception}: {message}",
    "error.unquoted": "The code raised {exception}",
    "error.forward.unquoted": "{function}.forward raised {exception}",
    "error.backward.unquoted": "{backward} raised {exception}",
    "error.engine.unquoted": "Torch rejected what {backward} returned",
    "error.node.unquoted": "{node} raised {exception}",
    "error.at": "{sentence} (line {line} of {file})",
    # Values changed by What If.
    "change.what_if": "What If: {changes}.",
    "change.input": "{name}",
    "change.saved": "saved {name} of {node}",
    "change.gradient": "the gradient from {source} to {target}",
    "change.element": "{name}[{place}] = {new} instead of {old}",
    "change.element.new": "{name}[{place}] = {new}",
    "change.element_of": "element [{place}] of {name} = {new} instead of {old}",
    "change.element_of.new": "element [{place}] of {name} = {new}",
    "change.scalar": "{name} = {new} instead of {old}",
    "change.scalar.new": "{name} = {new}",
    "change.elements": "{count} elements of {name} changed",
    "change.all": "all elements of {name} changed",
    "change.fill": "all elements of {name} = {new}",
    "change.scale": "{name} multiplied by {factor}",
    "change.made": "What If changes a value here: {change}.",
    "change.refused": "{change} (not applied: {problem})",
    "change.not_reached": "{change} (not reached in this run)",
    # The drawn graph.
    "drawing.custom": "custom Function",
    "drawing.error_node": "raises when executed",
    "drawing.needs_grad": "needs grad: {arguments}",
    "drawing.leaf": "leaf",
    "drawing.uses": "used by {count} nodes",
    "drawing.output": "output",
    "drawing.arrived": "{name} None",
    "drawing.arrived.zeros": "{name} None → zeros",
    "drawing.no_gradient": "no gradient",
    "drawing.no_gradient.declared": "no gradient: marked non-differentiable",
    "drawing.no_gradient.dtype": "no gradient: dtype not differentiable",
    "drawing.dirty": "changed in place: {names}",
    "drawing.undefined": "set_materialize_grads(False)",
    "drawing.saved": "saved tensors",
    "drawing.freed": "freed tensors",
    "drawing.saved_names": "saves {names}",
    "drawing.more": "and {count} more",
    "drawing.is_input": "argument",
    "drawing.is_output": "output",
    "drawing.is_view": "view of an argument",
    "drawing.is_intermediate": "neither argument nor output",
    "drawing.node": "{count} node",
    "drawing.nodes": "{count} nodes",
    "drawing.one_leaf": "{count} leaf",
    "drawing.leaves": "{count} leaves",
    "drawing.gradients": "{count} gradients",
    "drawing.more_output": "{count} more output",
    "drawing.more_outputs": "{count} more outputs",
    "drawing.times": "{count} × {name}",
    "drawing.name_times": "{name} × {count}",
    "drawing.called": "{name}, called {count} times",
    "drawing.calls": "{name}: {count} calls to {modules} modules",
    "drawing.turn": "repetition {number} of {count}",
    "drawing.turns": "{count} repetitions",
    "drawing.some_turns": "repetitions {first}–{last} of {count}",
    "drawing.some_nodes": "{name}, {first}–{last} of {count}",
    "drawing.some": "{first}–{last} of {count}",
    "drawing.part_of_call": "part {number} of this call",
    "drawing.tally": "{done} of {count} done",
    "drawing.tally.made": "{done} of {count} created",
    "node_problem.error": "error",
    "node_problem.warning": "warning",
    "node_problem.nan": "NaN",
    "node_problem.infinity": "Inf",
    "node_problem.isolated_nan": "isolated NaN",
    "node_problem.isolated_infinity": "isolated Inf",
    "drawing.too_large": (
        "The graph has {nodes} nodes and needs {count} boxes after folding; at most {limit} can be"
        " drawn."
    ),
    "drawing.step": "Step {number} of {total} · {phase}",
    "drawing.kind.leaf": "leaf",
    "drawing.kind.custom": "custom Function",
    "drawing.kind.builtin": "built-in node",
    "drawing.kind.saved": "saved for backward",
    "drawing.kind.output": "output",
    "drawing.kind.dead_end": "no gradient",
    "drawing.kind.folded": "folded group",
    "drawing.flow.done": "gradient already passed",
    "drawing.flow.now": "gradient flowing now",
    "drawing.flow.to_come": "gradient still to come",
    # Search: errors in the query, and reasons for a match.
    "search.unknown_field": (
        "There is no field named {field}; use name, module, shape, dtype, device, kind, "
        "has or step, or put the text in quotes."
    ),
    "search.needs_value": "A value must follow the colon, as in {example}.",
    "search.as.name": "name:Mul",
    "search.as.module": "module:layers.3",
    "search.as.shape": "shape:2x3",
    "search.as.dtype": "dtype:float32",
    "search.as.device": "device:cuda",
    "search.as.kind": "kind:custom",
    "search.as.has": "has:nan",
    "search.as.step": "step:12",
    "search.bad_shape": "{value} is not a shape; use sizes such as 2x3, *x3 or [6].",
    "search.bad_kind": "{value} is not a kind; use custom, builtin, leaf or error.",
    "search.bad_has": "has: accepts nan, inf, saved or problem, not {value}.",
    "search.bad_step": "{value} is not a step; use a number such as 12, or a range such as 3-9.",
    "search.no_pattern": "{field}: does not accept a regular expression; use "
    "one for names and modules only.",
    "search.open_pattern": "Put a regular expression between two slashes, as in /^Mul.*0$/.",
    "search.bad_pattern": "The regular expression /{value}/ is invalid: {reason}.",
    "search.slow_pattern": (
        "This regular expression could take too long: repeat single characters only, not "
        "groups, and use at most four repetitions."
    ),
    "search.use.saved": "saved {name}",
    "search.use.input": "argument {name}",
    "search.use.output": "output {name}",
    "search.use.incoming": "incoming {name}",
    "search.use.returned": "returned gradient for {name}",
    "search.use.passed": "gradient for {name}",
    "search.use.contribution": "gradient for {name}",
    "search.use.total": "{name}",
    "search.use.leaf": "leaf {name}",
    "search.use.root": "root {name}",
    "search.use.root_gradient": "initial gradient {name}",
    "search.use.received": "argument {name}",
    "search.use.result": "returned gradient for {name}",
    "search.use.setting": "setting {name}",
    "search.use.gradient": "gradient for {name}",
    "search.is": "{what} is {value}",
    "search.tensor": "{what} {shape}",
    "search.nan": "{what} has {count} NaN",
    "search.inf": "{what} has {count} Inf",
    "search.module": "in module {path}",
    "search.class": "in {name} ({path})",
    "search.function": "{kind} created by {name}",
    "search.op": "{kind} created by {name}",
    "search.kind.custom": "custom Function",
    "search.kind.builtin": "built-in node",
    "search.kind.leaf": "leaf",
    "search.kind.error": "error node",
    "search.name": "{kind}",
    "search.name.module": "{kind} in {path}",
    "search.step": "step {number}",
    "search.no_node": "{op} created no node",
    "latex.exact": "{dtype}, {size}",
    "latex.place": "{title}, step {place}",
    "latex.packages": "Needs {package}",
    "latex.left_out": "{dtype}, {shape} ({why})",
    "latex.not_kept": "not all elements were kept",
    "latex.too_many": "more than {most} elements",
    "tensor.no_elements": "no elements",
    "latex.no_values": "No values were recorded here.",
    "latex.rounded": "{dtype}, {size}, rounded to {digits} significant digits",
    # The guide as text and HTML.
    "guide.fact": "{text}: recorded from the scene {scene} ({query})",
    "guide.facts": (
        "Underlined values were recorded from scenes of the gallery and programs of the guide. A "
        "run with other inputs has other values."
    ),
    "guide.graph": "Graph at step {step}: {title}",
    "guide.no_page": "There is no page {page}.",
    "guide.pages": "Available pages: {names}.",
    "guide.verdict.match": "match",
    "guide.verdict.mismatch": "mismatch",
    "guide.link.step": "{text} (step {to})",
    "guide.link.scene": "{text} (scene {to})",
    "guide.link.page": "{text} (page {to})",
    "guide.link.compare": "{text} (compare with {to})",
    "guide.link.check": "{text} (check of order {to})",
    "guide.link.show": "{text} (panel {to})",
    # Layout.
    "layout.not_found": "The layout program {engine} could not be started: {reason}",
    "layout.timed_out": "The layout was stopped after {seconds} seconds "
    "because the graph is too complex.",
    "layout.cancelled": "The layout was canceled.",
    "layout.crashed": "The layout program {engine} exited with code {code}: {reason}",
    "layout.unreadable": "The layout program {engine} returned a layout "
    "that cannot be read: {reason}",
    "layout.invalid": "invalid layout: {error}",
    "layout.not_finite": "numbers that are not finite: {text}",
    "layout.no_edges": "edges are missing",
    "layout.no_output": "it produced no output",
}
