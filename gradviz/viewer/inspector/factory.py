"""Builds the Inspector, and the windows for single tensors."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.arithmetic.arithmetic_steps import ArithmeticSteps
from gradviz.viewer.arithmetic.controller import ArithmeticController
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel and the windows in which its tensors are enlarged."""
    state, requests, window = context.state, context.requests, context.window
    background = context.background
    panel = Inspector(state, requests, background=background, actions=context.actions)
    tensors = TensorWindows(window, state, requests, background, remember=window.remembers)
    controller = ArithmeticController(state, panel)
    steps = ArithmeticSteps(state, controller, context.actions.arithmetic, panel)
    window.top.tab_changed.connect(steps.show_tab)
    context.parts.add(steps)
    for each in (panel, tensors):
        each.message_emitted.connect(window.messages.say)
    context.parts.add(tensors)
    return context.parts.add(panel)
