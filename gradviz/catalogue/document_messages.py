"""Texts of documents: what panels and exports list."""

from __future__ import annotations

MESSAGES_DOCUMENT: dict[str, str] = {
    "outline.leaf.one": "{count} leaf",
    "outline.leaf.more": "{count} leaves",
    "outline.module_of": "module {class_name}",
    "outline.spoken_gradient": "gradient {gradient}",
    "outline.found": "{spoken}, found",
    "outline.raises": "raises {exception}",
    "outline.nan": "{nans} NaN",
    "outline.inf": "{infinities} Inf",
    "outline.name": "Name",
    "outline.state": "State",
    "outline.gradient": "Gradient",
    "outline.problem": "Problem",
    "outline.kind": "Kind",
    "outline.module": "module",
    "outline.kind.custom": "custom Function",
    "outline.kind.builtin": "built-in node",
    "outline.kind.leaf": "leaf",
    "outline.kind.error": "node that raises an error",
    "outline.not_recorded": "not recorded",
    "outline.state.made": "created",
    "outline.state.done": "done",
    "outline.state.now": "now",
    "outline.state.to come": "to come",
    "outline.state.untouched": "not reached",
    "outline.none": "None",
    "outline.leaves": "Leaves",
    "outline.now_inside": "now inside",
    "doctor_list.line": "line {line} of {name}",
    "doctor_list.step": "step {step}",
    "doctor_list.checked.second_order": (
        "Checked where a run differentiates twice, with create_graph=True:"
    ),
    "doctor_list.checked.transform": "Checked where a run uses a transform of torch.func:",
    "doctor_list.mismatch_cause": (
        "However, the Jacobian check found a mismatch. {cause} See the Jacobians tab."
    ),
    "severity.error": "error",
    "severity.warning": "warning",
    "severity.info": "hint",
    "doctor_list.about_recording": "About the recording",
    "doctor_list.checked": "Checked in every run:",
    "doctor_list.checked.without_ops": (
        "This run was recorded without ops, so values computed outside torch are not detected."
    ),
    "doctor_list.checked.source": "Read from the source:",
    "doctor_list.unseen_problem": (
        "However, the check found a problem that gradcheck does not detect. {cause} See the "
        "Jacobians tab."
    ),
    "doctor_list.mismatch": "However, the Jacobian check found a mismatch. See the Jacobians tab.",
    "doctor_list.severity": "Severity",
    "doctor_list.where": "Where",
    "doctor_list.finding": "Finding",
    "doctor_list.details": "Details",
    "doctor_list.checked.with_ops": "Also reported: where values computed outside torch come in.",
}
