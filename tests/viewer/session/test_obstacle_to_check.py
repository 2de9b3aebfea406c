"""Why nothing can be checked at the moment."""

from __future__ import annotations

from gradviz.viewer.session.check_controller import obstacle_to_check


def test_a_file_that_runs_for_the_first_time_is_not_called_a_trace() -> None:
    text = obstacle_to_check("running", has_offer=False, has_jacobians=True)
    assert text == "Another task is in progress."


def test_a_trace_file_leads_to_what_can_be_checked() -> None:
    text = obstacle_to_check("idle", has_offer=False, has_jacobians=True)
    assert text == "Run a scene or a Python file first. A trace file cannot be checked."


def test_what_was_run_can_be_checked_unless_it_has_no_jacobians() -> None:
    assert not obstacle_to_check("idle", has_offer=True, has_jacobians=True)
    text = obstacle_to_check("idle", has_offer=True, has_jacobians=False)
    assert text == "This scene has no Jacobians to check."
