"""Trials with unusual incoming gradients, and a diagnosis of what their failures share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradviz.checks.battery.difference import difference
from gradviz.checks.battery.passes import Pass, Passes
from gradviz.checks.battery.trials import Trials, random_gradients, trial
from gradviz.checks.battery.undefined import undefined_trials
from gradviz.checks.chance import same_chance
from gradviz.checks.diagnosis.case import Case
from gradviz.model.diagnosis import Diagnosis, Trial
from gradviz.model.messages import say_list


def battery(case: Case) -> Iterator[Diagnosis]:
    """Try backward with unusual incoming gradients, and yield what goes wrong.

    Runs for ``order=1`` only, where incoming gradients come from arbitrary other code.
    """
    if not case.settings.battery or case.subject.order != 1 or not case.output_names:
        return
    if any(each.code == "nondeterministic" for each in case.findings.diagnoses):
        return  # Gradients vary at random, whatever comes in.
    if any(each.code == "unsupported_layout" for each in case.findings.problems):
        return
    with same_chance(case.subject.tensors) as rewind:
        passes = Passes(case, rewind)
        usual = passes.run(random_gradients)
        if usual.error is not None or not usual.positions:
            return
        found = list(_trials(case, passes, usual))
    case.findings.trials.extend(found)
    writers = tuple(name for name in usual.changed if name)
    yield from _diagnoses(case, found, writers)


def _trials(case: Case, passes: Passes, usual: Pass) -> Iterator[Trial]:
    name = "grad_output dense, random values"
    if usual.changed:
        message = "Backward modifies grad_output in place."
        yield trial(name, "fails", message, "mutates_grad_output")
    again = passes.run(random_gradients)
    apart = None
    if again.error is None:
        apart = difference(case.subject.inputs, again.gradients, usual.gradients)
    if again.error is not None or (apart is not None and apart.matters):
        message = (
            "Two identical passes give different gradients, so no other result can be "
            "compared with them."
        )
        yield trial(name, "skipped", message)
        return
    if not usual.changed:
        yield trial(name, "passes", "Two identical passes give the same gradients.")
    trials = Trials(case.subject, passes, usual)
    yield from trials.layouts()
    yield trials.zero()
    yield from undefined_trials(case, passes, usual.positions)
    yield trials.scale()
    row = trials.not_a_number()
    if row is not None:
        yield row


def _diagnoses(case: Case, found: Sequence[Trial], writers: Sequence[str]) -> Iterator[Diagnosis]:
    said = {each.code for each in case.findings.diagnoses}
    backward = f"The backward of {say_list(writers)}" if writers else "Backward"
    messages = {
        "mutates_grad_output": (
            f"{backward} modifies its incoming gradient in place. That tensor belongs to "
            "the caller: others may read it afterwards, and after sum() all its elements "
            "share one memory location. gradcheck does not detect this; work on a clone."
        ),
        "stride_blind": (
            "Backward is correct only if the incoming gradient is contiguous and starts "
            "at storage offset 0, as in gradcheck. Read it through its strides, or call "
            "grad_output.contiguous() first and respect its storage offset. gradcheck "
            "does not detect this."
        ),
    }
    for code, message in messages.items():
        rows = [each for each in found if each.code == code]
        if rows and code not in said:
            evidence = tuple(each.message for each in rows)
            yield Diagnosis(code=code, message=message, output=None, input=None, evidence=evidence)
