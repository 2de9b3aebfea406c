"""Message templates for the contents of a step, for the phases of a run, and for training."""

from __future__ import annotations

"""Templates by key, as in `gradviz.catalogue.templates`."""

MESSAGES_STEPS: dict[str, str] = {
    "dispatch.called": "{function} is called with {inputs}.",
    "dispatch.called.empty": "{function} is called.",
    "dispatch.order": "Torch tries {types}, in this order.",
    "dispatch.handler": "{type} handles the call with {by}.",
    "dispatch.handler.itself": "{type} handles the call itself, without a registered handler.",
    "dispatch.fallback": "{type} unwraps its arguments and calls {function} again.",
    "dispatch.default": "{type} defers to torch.Tensor.",
    "dispatch.not_implemented": "{type} returns NotImplemented.",
    "dispatch.unseen": (
        "{type} handles the call; the handler is unknown because the run has an active profiler."
    ),
    "dispatch.raised": "{type} raises {error}.",
    "dispatch.raised.by": "In {by}, {type} raises {error}.",
    "dispatch.raised.unknown": "{type} raises an exception.",
    "dispatch.refused": "No type is left to try, so torch raises {error}.",
    "dispatch.result": "It returns {outputs}.",
    "dispatch.unfinished": "It did not return.",
    "dispatch.subclass": "{value}, a {subclass}",
    "where.dispatch": "the __torch_function__ call for {name}",
    "dispatch.stage": "{type}.__torch_function__ runs for {function}.",
    # Place paths and printed steps.
    "place.unreadable": (
        "{path} is not a place in a run; use a step such as 5, or 5/backward, "
        "5/backward/line3 or 5/backward/op2."
    ),
    "place.no_stage": "Step {number} has no stage {stage}.",
    "place.nothing": "Nothing was recorded at {path}.",
    "steps.file": "in {file}",
    "steps.more.one": "{count} more step",
    "steps.more.more": "{count} more steps",
    "steps.non_finite.reaches": "{name} has {values}.",
    "steps.non_finite.harmless": "{name} has {values}, which no result or gradient gets.",
    "steps.non_finite.uncounted": "NaN or Inf",
    "steps.outside": "Printed outside any step:",
    "steps.not_kept.one": "{count} more line ({characters} characters) was printed but not kept.",
    "steps.not_kept.more": (
        "{count} more lines ({characters} characters) were printed but not kept."
    ),
    "steps.ended.after": (
        "The recording ends after step {number}: its process is still running, or it died."
    ),
    "steps.ended.in": (
        "The recording ends in step {number}: its process is still running, or it died."
    ),
    "steps.stopped.after": "The recording ends after step {number}. {reason}",
    "steps.stopped.in": "The recording ends in step {number}. {reason}",
    "steps.stopped.nothing": "The recording has no steps. {reason}",
    # What a run did wrong.
    "found": "Found {counts}:",
    "found.one": "{counts}: {message}",
    "found.line": "{severity}: {message}",
    "found.guide": "More in the guide: {commands}",
    "found.guide.command": "gradviz guide {page}",
    "steps.nothing": (
        "The recording has no steps: its process has not reached the first one, or died before it,"
        " or the file was copied without its -wal file."
    ),
    "steps.shallow.nodes": (
        "Nothing finer than stages was recorded; record again with --level {level} to see more."
    ),
    "steps.shallow.ops": (
        "No source lines were recorded; record again with --level {level} to see them."
    ),
    "steps.shallow.lines": "No ops were recorded; record again with --level {level} to see them.",
    # Shortened lists, and counts.
    "list.rest": "{count} more",
    "list.counted": "{name} (×{count})",
    "count.step.one": "{count} step",
    "count.step.more": "{count} steps",
    "count.pass.one": "{count} backward pass",
    "count.pass.more": "{count} backward passes",
    "count.node.one": "{count} node",
    "count.node.more": "{count} nodes",
    "count.leaf.one": "{count} leaf",
    "count.leaf.more": "{count} leaves",
    "count.line.one": "{count} line",
    "count.line.more": "{count} lines",
    "count.op.one": "{count} op",
    "count.op.more": "{count} ops",
    "count.more_line.one": "{count} more line",
    "count.more_line.more": "{count} more lines",
    "count.more_op.one": "{count} more op",
    "count.more_op.more": "{count} more ops",
    # One value, with its name.
    "value.empty": "{name} {shape} (empty)",
    "value.unknown": "{name} (a scalar)",
    "value.unsized": "{name} ({shape})",
    # One value without a name.
    "object.none": "None",
    "object.a": "a {text}",
    "object.an": "an {text}",
    "object.no_arguments": "no arguments",
    "tensor.scalar": "the scalar {value}",
    "tensor.unknown": "a scalar",
    "tensor.empty": "an empty {shape} tensor",
    "tensor.tensor.a": "a {shape} tensor",
    "tensor.tensor.an": "an {shape} tensor",
    "tensor.filled.a": "a {shape} tensor (all {value})",
    "tensor.filled.an": "an {shape} tensor (all {value})",
    "tensor.of": "{tensor} of dtype {dtype}",
    "array.scalar": "the array {value}",
    "array.unknown": "an array with one element",
    "array.empty": "an empty {shape} array",
    "array.tensor.a": "a {shape} array",
    "array.tensor.an": "an {shape} array",
    "array.filled.a": "a {shape} array (all {value})",
    "array.filled.an": "an {shape} array (all {value})",
    # Exceptions.
    "exception": "{exception}",
    "exception.message": "{exception}: {message}",
    # A phase of the run.
    "phase.forward": "The forward phase",
    "phase.forward.number": "Forward phase {number}",
    "phase.backward": "The backward pass",
    "phase.backward.number": "Backward pass {number}",
    "phase.steps": "{phase} runs {steps}.",
    "phase.makes": "{phase} runs {steps} and creates {nodes}.",
    "phase.nodes": "{phase} executes {nodes}.",
    "phase.leaves": "{phase} executes {nodes} and reaches {leaves}.",
    "phase.only_leaves": "{phase} reaches {leaves}.",
    "leaves.named": "{leaves}, {names}",
    "leaves.some": "{leaves}, including {names}",
    "phase.nothing": "{phase} executes no nodes.",
    "phase.goes_on": "It resumes here after backward pass {number}.",
    "phase.waits": "It waits for backward pass {number}, which runs inside it.",
    "phase.made": "It creates {nodes}.",
    "phase.results": "It returns {results}.",
    "phase.raised": "It ends with {exception}.",
    "phase.unfinished": "It did not finish.",
    # Stages.
    "stage.forward.ended": "{function}.forward was called with {inputs} and finished.",
    "stage.setup": ("{function}.setup_context receives the inputs and the output of forward."),
    "stage.setup.unfinished": "{function}.setup_context did not finish.",
    "stage.setup.keeps": "It stores {attributes} on ctx.",
    "stage.saves": "{node} saves {saved} for backward.",
    "stage.saves.nothing": "{node} saves no tensors for backward.",
    "stage.saves.rest.one": "{count} more node saves values for backward.",
    "stage.saves.rest.more": "{count} more nodes save values for backward.",
    "saved.input": "{value} (argument)",
    "saved.input.version": "{value} (argument, version {version})",
    "saved.output": "{value} (output)",
    "saved.output.version": "{value} (output, version {version})",
    "saved.view_of_input": "{value} (view of an argument)",
    "saved.view_of_input.version": "{value} (view of an argument, version {version})",
    "saved.intermediate": "{value} (neither argument nor output)",
    "saved.intermediate.version": "{value} (neither argument nor output, version {version})",
    "saved.attribute": "{value}",
    "saved.attribute.version": "{value} (version {version})",
    "saved.none": "{value}",
    "stage.engine.one": "The engine checks {count} gradient and changes nothing.",
    "stage.engine.more": "The engine checks {count} gradients and changes nothing.",
    "stage.engine.none": "The engine has no gradient to check.",
    "stage.engine.rest.one": "The engine leaves {count} other gradient unchanged.",
    "stage.engine.rest.more": "The engine leaves {count} other gradients unchanged.",
    "stage.engine.refused": "The engine rejects what {backward} returned: {message}",
    "stage.engine.stopped": "The engine stops here.",
    "stage.raised": "It raised {exception}.",
    "stage.ran": "{things} ran in this stage.",
    "stage.not_kept.one": "{things} ran in this stage but was not kept.",
    "stage.not_kept.more": "{things} ran in this stage but were not kept.",
    "stage.unseen.one": "{count} of the ops is not visible to autograd.",
    "stage.unseen.more": "{count} of the ops are not visible to autograd.",
    "stage.formula": "It computes {equations}.",
    "stage.formula.general": "Its formula is {equations}.",
    "stage.equation": "`{equation}`",
    "stage.thread": "It ran in thread {thread}.",
    # Ops.
    "op": "{op} takes {inputs} and returns {outputs}.",
    "op.maps": "{op} maps {input} to {outputs} using {others}.",
    "op.maps.alone": "{op} maps {input} to {outputs}.",
    "op.writes": "{op} takes {inputs} and writes {output} into {name}.",
    "op.writes.into": "{op} takes {inputs} and writes into {names}.",
    "op.unfinished": "{op} was called with {inputs} but did not finish.",
    "op.raised": "{op} was called with {inputs} and raised an exception.",
    "op.raised.known": "{op} was called with {inputs} and raised {exception}.",
    "op.shares": "The result shares memory with {name}.",
    "op.shares.several": "The results share memory with {name}.",
    "op.dtype": "The dtype changes from {before} to {after}.",
    "op.device": "The device changes from {before} to {after}.",
    "op.unseen": "Autograd does not see it.",
    "op.unseen.leaves": "Autograd does not see it: the values leave torch.",
    "op.unseen.comes": "Autograd does not see it: the values come from outside torch.",
    "op.result": "the result",
    "op.has.only": "The only element of {result} is {what}.",
    "op.has.one": "{count} of the {total} elements of {result} is {what}.",
    "op.has.more": "{count} of the {total} elements of {result} are {what}.",
    "op.becomes.only": ("The only element of {result} is {what}, although all inputs are finite."),
    "op.becomes.one": (
        "{count} of the {total} elements of {result} is {what}, although all inputs are finite."
    ),
    "op.becomes.more": (
        "{count} of the {total} elements of {result} are {what}, although all inputs are finite."
    ),
    "what.nan": "NaN",
    "what.inf": "Inf",
    "what.negative_inf": "-Inf",
    # Lines.
    "line": "Line {number}",
    "line.text": "Line {number}, `{text}`,",
    "line.file": "Line {number} of {file}",
    "line.file.text": "Line {number} of {file}, `{text}`,",
    "line.function": "Line {number}, in {function},",
    "line.function.text": "Line {number}, `{text}` in {function},",
    "line.function.file": "Line {number} of {file}, in {function},",
    "line.function.file.text": "Line {number} of {file}, `{text}` in {function},",
    "line.does": "{line} {does}.",
    "line.true": "evaluates its condition to true",
    "line.false": "evaluates its condition to false",
    "line.turn": "starts iteration {number}",
    "line.turn.some": "starts an iteration",
    "line.ends": "ends",
    "line.ends.none": "ends without an iteration",
    "line.ends.one": "ends after {count} iteration",
    "line.ends.more": "ends after {count} iterations",
    "line.calls": "calls {names}",
    "line.enters": "enters {names}",
    "line.call": "{function}",
    "line.call.twice": "{function} twice",
    "line.call.times": "{function} {count} times",
    "line.makes": "creates {values}",
    "line.sets": "sets {values}",
    "line.set": "{names} to {value}",
    "line.gives": "changes {values}",
    "line.changes.one": "changes {name} in place to {value}",
    "line.changes.more": "changes {names} in place",
    "line.deletes": "deletes {names}",
    "line.returns": "returns {value}",
    "line.raises": "raises an exception",
    "line.raises.known": "raises {exception}",
    "line.unfinished": "does not finish",
    "line.ops": "runs {names}",
    "line.lambda": "a lambda",
    "line.nothing": "sets no local variables",
    "training.loss_of_line": "loss (line {line})",
    "phase.update": "Optimizer step {number}: {told}",
    "optimizer.against": (
        "{optimizer}.step updates {parameters} by -lr times {gradients}, with lr = {lr}."
    ),
    "optimizer.its_gradient": "its gradient",
    "optimizer.their_gradients": "their gradients",
    "optimizer.moved": "{optimizer}.step updates {parameters} ({settings}).",
    "optimizer.moved.plain": "{optimizer}.step updates {parameters}.",
    "optimizer.nothing": "{optimizer}.step updates nothing.",
    "optimizer.without": "Unchanged because of a missing gradient: {names}.",
    "optimizer.same": "Unchanged despite a gradient: {names}.",
    "optimizer.unfinished": "{optimizer}.step starts with {parameters} but does not return.",
    "optimizer.paused": (
        "{optimizer}.step goes on after the last recorded pass, so its update of {parameters} was "
        "not recorded."
    ),
    "optimizer.setting": "{name} = {value}",
    "optimizer.group_setting": "{name} = {value} in group {group}",
    "training.told": "Training: {told}",
    "training.loss.scaled": "scaled {name}",
    "training.loss.falls": "{name} falls from {first} to {last} in {count} passes.",
    "training.loss.rises": "{name} rises from {first} to {last} in {count} passes.",
    "training.loss.goes": "{name} goes from {first} to {last} in {count} passes.",
    "training.loss.stays": "{name} is {last} in both the first and the last of {count} passes.",
    "training.loss.one": "{name} is {last} in the first pass.",
    "training.norms.moved_by": "L2 norms of the total .grad that the optimizer used.",
    "training.norms.after_pass": "L2 norms of the total .grad after each pass.",
    "training.zeros": "{count} norms are 0 and cannot be shown on a logarithmic axis.",
    "training.zeros.one": "One norm is 0 and cannot be shown on a logarithmic axis.",
    "training.unknown": "{count} norms are not drawn because they are NaN, Inf or unknown.",
    "training.unknown.one": "One norm is not drawn because it is NaN, Inf or unknown.",
    "hook.replaced": "A hook on {name} ({hooks}) changes its gradient from {before} to {after}.",
    "hook.replaced.elements": (
        "A hook on {name} ({hooks}) changes its gradient: {count} of {total} elements, by {most} "
        "at most."
    ),
    "hook.after.elements": (
        "A hook on {name} ({hooks}) runs after the accumulation and changes .grad: {count} of "
        "{total} elements, by {most} at most."
    ),
    "hook.after": (
        "A hook on {name} ({hooks}) runs after the accumulation and changes .grad from "
        "{before} to {after}."
    ),
    "hook.node": "A hook on {of} ({hooks}) changes {name} from {before} to {after}.",
    "hook.node.elements": (
        "A hook on {of} ({hooks}) changes {name}: {count} of {total} elements, by {most} at most."
    ),
    "hook.of_module": "module {module}",
    "hook.retained": "Because retain_grad() was called on {name}, its .grad is now {value}.",
    "hook.tensor": "an unnamed tensor",
    "hook.input": "an input of module {module}",
    "hook.unknown": "since removed",
    "hook.value": "{shape} with norm {norm}",
    "shared_parameter": (
        "{name} is also {others}: several modules share this parameter. The gradients of "
        "all its uses accumulate in one .grad."
    ),
    "order.first": "created in the backward pass",
    "rerun": "Recomputed by a checkpoint: {sentence}",
    "rerun.unfinished": "The checkpoint stops as soon as it has everything that it needs.",
    "forced_eager": (
        "During recording, code passed to torch.compile runs eagerly, so that each of "
        "its steps is visible. Compiled, it would run in fewer kernels and might round "
        "differently."
    ),
}
