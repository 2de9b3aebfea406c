"""Runs what the user chooses in the library, form or top bar, and reports how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec import structs
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup

from gradviz.analysis.position.trace_position import TracePosition, has_place
from gradviz.catalogue.language import format_count
from gradviz.host.job_ending import JobEnding
from gradviz.linter.file_outline import read_outline
from gradviz.model.check_settings import CheckSettings
from gradviz.model.finding import Finding
from gradviz.model.inputs import SCRIPT, Offer, unread_example
from gradviz.model.settings.recording_scope import PassRange
from gradviz.model.step import ErrorStep
from gradviz.model.what_if import WhatIfChange
from gradviz.protocol.messages import DescribeRequest, Ready
from gradviz.store.file_kind import kind_of
from gradviz.text.found_problems import problem_pages
from gradviz.text.titles import offer_title, origin_title
from gradviz.viewer.actions import Actions
from gradviz.viewer.files.file_drop import refusal
from gradviz.viewer.inputs.form import InputsForm, UndoController
from gradviz.viewer.inputs.remembered_inputs import has_inputs_of, inputs_of, with_edits
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.session.changed_file import ChangedFile
from gradviz.viewer.session.script_controller import script_offer
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.message_bar import MessageBar, MessageTone
from gradviz.viewer.window.top_bar import TopBar


class DepthController(QObject):
    """Sets what runs record, and reruns with lines recorded on request."""

    def __init__(self, preferences: Preferences, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._actions = actions
        self._choices = {"recording_level": actions.depths, "passes": actions.passes}
        for name, group in self._choices.items():
            # A range is neither of the choices.
            group.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
            group.triggered.connect(partial(self._on_group_triggered, name))
        actions.record_lines.triggered.connect(self._on_record_lines_triggered)
        actions.run.changed.connect(self._on_run_changed)
        preferences.changed.connect(self._on_preferences_changed)
        for name in self._choices:
            self._on_preferences_changed(name)
        self._on_run_changed()

    def _on_group_triggered(self, name: str, action: QAction) -> None:
        self._preferences.set(name, action.data())
        self._on_preferences_changed(name)

    def _on_record_lines_triggered(self) -> None:
        self._preferences.recording_level = "all"
        self._actions.run.trigger()

    def _on_run_changed(self) -> None:
        self._actions.record_lines.setEnabled(self._actions.run.isEnabled())

    def _on_preferences_changed(self, name: str) -> None:
        if name in self._choices:
            for action in self._choices[name].actions():
                action.setChecked(action.data() == getattr(self._preferences, name))


_TONES: dict[str, MessageTone] = {
    "cancelled": "info",
    "timed_out": "warning",
    "exited": "warning",
    "trace_full": "warning",
}
"""Message tones of endings that are less severe than an error."""


class RunController(QObject):
    """Carries out Run and Cancel, and opens files.

    Signals:
        lesson_requested: Path of a lesson to play.
        script_offered: Path of a file that Run starts as a script, and why it has not run.
        cell_offered: Title of a notebook's cell that has not run, and what Run would do.
    """

    lesson_requested = Signal(object)
    script_offered = Signal(object, str)
    cell_offered = Signal(str, str)

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        actions: Actions,
        panels: tuple[LibraryPanel, InputsForm, TopBar, MessageBar],
        file: ChangedFile,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._actions = actions
        self._file = file
        self._library, self._form, self._top, self._messages = panels
        self._shown: tuple[object, TracePosition | None] | None = None
        self._again: Offer | None = None
        # The file that was opened last, if nothing in it can run.
        self._unread: Path | None = None
        # Where to go when a run has ended; 0 for the same place as before.
        self._iteration = 0
        self._explained = ""
        self._replaced = ""
        self._ending = ""
        self._reports = 0
        UndoController(actions, self._form, self)
        self._library.picked.connect(self.run_offer)
        self._form.changed.connect(self._on_form_changed)
        actions.run.triggered.connect(self._on_run_triggered)
        actions.stop.triggered.connect(session.cancel)
        session.activity_changed.connect(self._on_session_activity_changed)
        session.ready_changed.connect(self._on_session_ready_changed)
        session.described.connect(self._on_session_described)
        session.inputs_given.connect(self._form.show_given)
        session.inputs_given.connect(self._library.show_given)
        session.check_started.connect(self._on_session_check_started)
        session.ended.connect(self._on_session_ended)
        session.replaced.connect(self._on_session_replaced)
        session.failed.connect(self._on_session_failed)
        session.saved.connect(self._on_session_saved)
        session.offer_changed.connect(self._on_session_offer_changed)
        self._on_session_activity_changed(session.activity)
        if session.ready is not None:
            self._on_session_ready_changed(session.ready)

    def run_offer(self, offer: Offer) -> None:
        """Load an offer into the form and run it; make inputs first if it has none."""
        own = self._library.offer_of(offer.subject) or offer
        self._library.mark(offer)
        if own.is_from_text:
            # Its inputs are known only when the file has run.
            self._again = own
            self._session.describe(DescribeRequest(path=own.subject.path, runs_work=True))
            return
        self._form.show_offer(own, offer if inputs_of(offer) != inputs_of(own) else None)
        if own.is_declared or self._form.is_changed:
            self._run_form()
        elif own.is_plain_function:
            # It is called only with inputs that the user has seen.
            text = self.tr("{0} declares no inputs for {1}. Choose them under Inputs, then run it.")
            file = Path(own.subject.path).name
            self._messages.say(text.format(file, own.title), "info")
        else:
            self._session.make_inputs(own)

    def run_entry(self, offer: Offer) -> None:
        """Run a declared offer of a file, and list it with what else the file's text defines."""
        path = Path(offer.subject.path)
        outline = read_outline(path) if kind_of(path) == "python" else None
        known = () if outline is None else outline.offers
        others = (each for each in known if each.subject.name != offer.subject.name)
        self._library.show_file(path, (offer, *others))
        self.run_offer(offer)

    def show_recorded(self, path: Path, offer: Offer) -> None:
        """Show a run of an offer that was recorded before, as if it had just been run."""
        self._again = None
        self._messages.hide()
        self._library.mark(offer)
        self._form.show_offer(self._library.offer_of(offer.subject) or offer, offer)
        self._session.open(path, offer)

    def show_shipped(self, offer: Offer) -> None:
        """Show the run of an offer that ships with gradviz."""
        self._library.mark(offer)
        self._form.show_offer(offer)
        self._session.show_shipped(offer)

    def run_again(self, offer: Offer) -> None:
        """Run what is shown again, without hiding the message."""
        self._session.run(offer)

    def open_path(self, path: Path) -> None:
        """Open a trace, play a lesson, or run the first offer of a Python file or notebook."""
        self._messages.hide()
        self._again = None
        match kind_of(path):
            case "trace":
                self.open_trace(path)
            case "python" | "notebook" as kind:
                path = path.absolute()
                if kind == "python" and not self._library.lists(path):
                    outline = read_outline(path)
                    self._library.show_file(path, () if outline is None else outline.offers)
                first = unread_example(str(path), "")
                self._session.describe(
                    DescribeRequest(path=str(path), makes_inputs=True),
                    likely=None if has_inputs_of(str(path)) else self._on_device(first),
                )
            case "lesson":
                self.lesson_requested.emit(path)
            case _:
                self.refuse((path,))

    def open_trace(self, path: Path) -> None:
        """Open a trace; any other file is refused, whatever its name and content."""
        self._messages.hide()
        self._again = None
        self._session.open(path)

    def say_ending(self, sentence: str, tone: MessageTone, page: str = "") -> None:
        """Show how a run or check ended, and the guide's page about it, until the next check."""
        self._messages.say(sentence, tone, page)
        self._ending = self._messages.text

    def refuse(self, paths: Sequence[Path]) -> None:
        """Show a message that files cannot be opened."""
        self._messages.say(refusal(paths), "warning")

    def run_file_again(self, path: Path, *, ask: bool) -> None:
        """Run a saved file again with the same inputs.

        Args:
            path: The file.
            ask: Whether to read the file's offers again first.
        """
        shown, edited = self._session.offer, self._form.offer()
        if shown is None or Path(shown.subject.path) != path:
            return
        if edited is None or edited.subject != shown.subject:
            edited = shown
        if ask:
            self._again = edited
            # With the seed of the shown run, edits of the form can be told from those of the file.
            request = DescribeRequest(path=str(path), runs_work=True, seed=shown.seed)
            self._session.describe(request, None if self._form.is_changed else edited)
        else:
            self._start(edited)

    def run_changed(self, changes: tuple[WhatIfChange, ...]) -> None:
        """Run the current offer again on the same inputs, with some values changed."""
        shown = self._session.offer
        if shown is not None:
            self._start(shown, changes)

    def record_passes(self, passes: PassRange, iteration: int) -> None:
        """Run the shown offer again, record some of its passes, and go to an iteration."""
        if self._session.offer is not None:
            self._start(self._session.offer, passes=passes)
            self._iteration = iteration

    def _start(
        self, offer: Offer, changes: tuple[WhatIfChange, ...] = (), passes: PassRange | None = None
    ) -> None:
        self._again, self._iteration = None, 0
        if self._messages.text != self._replaced:
            self._messages.hide()
        if self._state.index is None:
            self._top.subject.setText(offer_title(offer))
        self._session.run(offer, changes, passes)

    def _remember_place(self) -> None:
        """Remember the current place, so that a rerun returns to the same step and line."""
        offer = self._session.offer
        subject = None if offer is None else offer.subject
        self._shown = (subject, self._state.place)

    def _return_to_place(self, offer: Offer) -> None:
        (subject, place), self._shown = self._shown or (None, None), None
        number, self._iteration = self._iteration, 0
        if number:
            self._state.iterations.go_to(number)
            return
        if place is None or subject != offer.subject:
            return
        self._state.go_to(place.step)
        # The new run may be shorter, or have fewer lines in this step.
        index = self._state.index
        if index is not None and has_place(index, place):
            self._state.go_to_place(place)

    def _show_runnable(self) -> None:
        # While PyTorch is imported for a run, another one would begin no sooner.
        waits = self._session.ready is None and self._session.activity != "idle"
        self._actions.run.setEnabled(self._form.offer() is not None and not waits)

    def _on_form_changed(self) -> None:
        self._unread = None
        self._show_runnable()
        self._top.show_form(self._form.problem(), unrun=self._form.unrun)

    def _on_run_triggered(self) -> None:
        """Run what the form shows; a changed file may need other inputs, so ask it first."""
        changed, offer = self._file.find(), self._form.offer()
        if self._unread is not None:
            self.open_path(self._unread)
        elif changed is not None and offer is not None and Path(offer.subject.path) == changed:
            self.run_file_again(changed, ask=True)
        else:
            self._run_form()

    def _run_form(self) -> None:
        offer = self._form.offer()
        if offer is None:
            self._messages.say(self._form.problem(), "warning")
        else:
            self._start(self._on_device(offer))

    def _on_device(self, offer: Offer) -> Offer:
        # The devices are not known before torch is imported; the first one is the CPU.
        device = str(self._top.device.currentData() or "cpu")
        return structs.replace(offer, device=device)

    def _on_session_activity_changed(self, activity: str) -> None:
        # Only now, as the user may have moved on while the code ran.
        if activity == "opening":
            self._remember_place()
        self._show_runnable()

    def _on_session_ready_changed(self, ready: Ready) -> None:
        self._top.show_devices(ready.devices)
        self._form.show_devices(ready.devices)
        self._show_runnable()

    def _on_session_described(self, path: str, offers: tuple[Offer, ...], problem: str) -> None:
        self._explained = ""
        again, self._again = self._again, None
        old = None if again is None else self._library.offer_of(again.subject)
        # What the file declares for a Module is an instance, under another name than the class.
        known = self._library.offer_of
        added = [each for each in offers if each.is_declared and known(each.subject) is None]
        # Only now, as a run of a script takes the place of no other run.
        offers = self._with_text(Path(path), offers)
        self._library.show_file(Path(path), offers)
        if again is not None and again.subject.path == path:
            same = [each for each in offers if each.subject == again.subject]
            same = [each for each in same if not each.is_from_text]
            # The only entry of a file whose former one is gone has a new name.
            if not same and added and (not again.is_declared or len(offers) == 1):
                self.run_offer(added[0])
            elif same:
                self.run_offer(with_edits(same[0], old or again, again))
            elif not self._session.is_broken and (again.is_from_text or not problem):
                text = self.tr("{0} no longer defines {1}.")
                if again.is_from_text:
                    text = self.tr("{1} cannot run as it is. Declare it in EXAMPLES of {0}.")
                problem = text.format(Path(path).name, again.title)
        elif (cell := next((each for each in offers if each.opens), None)) is not None:
            problem = self._offer_cell(Path(path), cell, problem)
        elif offers and not (offers[0].waits_for_choice or offers[0].subject.name == SCRIPT):
            self.run_offer(offers[0])
        elif offers and not self._session.is_broken:
            # Opening a file does not run it as a script.
            self._offer_script(Path(path), offers, problem)
            return
        if problem:
            self._messages.say(problem, "warning")
            self._unread = Path(path) if not offers and again is None else None

    def _offer_cell(self, path: Path, cell: Offer, problem: str) -> str:
        """Show a notebook's cell that has not run, and return what else there is to say."""
        self._library.mark(cell)
        self._form.show_offer(cell)
        text = self.tr(
            "{0} was only read, not run. Run executes the cells above this one and records this"
            " one. Library lists the other cells."
        ).format(path.name)
        self.cell_offered.emit(cell.title, text)
        return problem if self._state.index is None else f"{text} {problem}".strip()

    def _offer_script(self, path: Path, offers: tuple[Offer, ...], problem: str) -> None:
        """Show a file that has not run, and why."""
        self._library.mark(offers[-1])
        self._form.show_offer(offers[-1])
        hint = self.tr("Run starts it as a script; Inputs has a field for its arguments.")
        if is_unrun := any(each.is_from_text for each in offers):
            hint = self.tr(
                "Library lists what its text defines. Run starts it as a script; Inputs"
                " has a field for its arguments."
            )
        self.script_offered.emit(path, problem)
        self._explained = problem
        # Without a run, the place of the graph says why.
        is_said = self._state.index is None
        text = hint if is_said else f"{problem} {hint}"
        self._messages.say(text, "info" if is_unrun or is_said else "warning")

    def _with_text(self, path: Path, offers: tuple[Offer, ...]) -> tuple[Offer, ...]:
        """Return the offers of a file with what is known from its text.

        That is the file itself if it is meant to run as a script, and what a file defines that
        raised an error before it was done.
        """
        outline = read_outline(path) if kind_of(path) == "python" else None
        if outline is None:
            return offers
        is_broken = self._session.is_broken
        known = offers or (outline.offers if is_broken else ())
        is_script = not is_broken and all(each.waits_for_choice for each in offers)
        return (*known, script_offer(path)) if is_script or outline.has_main_block else known

    def _on_session_check_started(self, settings: CheckSettings, order: int) -> None:
        self._reports = self._count_reports()
        if self._messages.text == self._ending:
            self._messages.hide()

    def _count_reports(self) -> int:
        index = self._state.index
        return 0 if index is None else len(index.trace.reports)

    def _on_session_ended(self, activity: str, ending: JobEnding | None) -> None:
        if ending is None:
            return
        if ending.kind == "finished" and self._messages.text == self._replaced:
            self._messages.hide()
        sentence, page = ending.sentence, ""
        stopped = ending.kind not in ("finished", "cancelled")
        if activity == "running" and stopped and not self._session.is_outdated:
            # The trace up to the failure is shown; go to where it failed.
            self._state.last_step()
            explained = self._about_error()
            sentence = self._where_raised(explained) or sentence
            page = next(iter(problem_pages(explained)), "")
        if ending.limit is not None:
            sentence = self.tr("{0} To change the limit, open Settings.").format(sentence)
        is_unchanged = 0 < self._reports == self._count_reports()
        if activity == "checking" and is_unchanged and sentence:
            sentence = self.tr("{0} The result of the previous check is shown.").format(sentence)
        if sentence and sentence != self._explained:
            self.say_ending(sentence, _TONES.get(ending.kind, "error"), page)

    def _on_session_replaced(self, activity: str, offer: Offer) -> None:
        text = self.tr("Stopped the run of {0} and discarded its trace.")
        if activity == "checking":
            text = self.tr("Stopped the check of {0}.")
        # Opening a file ends the run long before the file's own run hides earlier messages.
        self._replaced = text.format(offer_title(offer))
        self._messages.say(self._replaced, "info")

    def _where_raised(self, explained: Sequence[Finding]) -> str:
        """Return at which step the code raised, if that step shows why.

        Args:
            explained: What explains the exception.
        """
        index = self._state.index
        if index is None or not index.trace.steps:
            return ""
        last = index.trace.steps[-1]
        if not isinstance(last, ErrorStep):
            return ""
        # Programs such as argparse print why they exit.
        why = self._state.revealed.last_error_line() if last.exception == "SystemExit" else ""
        if last.exception == "SystemExit" and not why:
            return ""
        if last.message == "EOF when reading a line":
            why = self.tr("input() has nothing to read, as a run has no keyboard.")
        why = why or " ".join(each.message for each in explained)
        why = why or last.message.partition("\n")[0]
        text = self.tr("{0} ended the run at step {1}.")
        if why:
            text = self.tr("{0} ended the run at step {1}: {2}")
        return text.format(last.exception, format_count(last.number), why)

    def _about_error(self) -> tuple[Finding, ...]:
        """Return the findings that explain the exception that ended the run."""
        index = self._state.index
        if index is None or not isinstance(next(reversed(index.trace.steps), None), ErrorStep):
            return ()
        raised = len(index.trace.steps)
        return tuple(each for each in self._state.revealed.findings if each.step == raised)

    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        index = self._state.index
        title = "" if index is None else origin_title(index.trace.origin)
        title = title if offer is None else offer_title(offer)
        if self._session.baseline is not None:
            title = self.tr("What If: {0}").format(title)
        self._top.subject.setText(title)
        self._actions.save.setEnabled(index is not None)
        if offer is not None:
            self._form.show_last_run_inputs(offer)
            self._return_to_place(offer)
        else:
            self._form.show_nothing()
            self._library.clearSelection()

    def _on_session_failed(self, sentence: str) -> None:
        self._messages.say(sentence, "error")

    def _on_session_saved(self, path: str, source: Path) -> None:
        self._messages.say(self.tr("Trace saved to {0}.").format(path), "info")
