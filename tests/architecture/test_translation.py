"""Every window text can be translated: whole sentences in literals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.layers import called_name
from tests.architecture.modules import Module, modules_below, nodes_of

TRANSLATE = frozenset({"tr", "translate", "QT_TRANSLATE_NOOP"})
SHOWING = frozenset(
    {
        *("setText", "setToolTip", "setStatusTip", "setWhatsThis", "setWindowTitle", "setTitle"),
        *("setAccessibleName", "setAccessibleDescription", "setPlaceholderText"),
        *("setPrefix", "setSuffix", "setTabText", "setItemText", "setHeaderLabels"),
        *("addItem", "addAction", "addMenu", "addSection", "addTab", "insertTab", "addRow"),
        *("say", "announce", "set_reason", "drawText"),
        *("QAction", "QDockWidget", "QGroupBox", "QLabel", "QMenu", "QToolBar"),
        *("QCheckBox", "QPushButton", "QRadioButton", "ElidedLabel", "PlainLabel"),
    }
)
"""What gives a text to the user: methods, and classes that take one."""

FIRST_ONLY = frozenset({"addItem", "say"})
"""Their second argument is data, or a word for the looks."""

NAMES = frozenset(
    {
        "cpu",  # a device
        "gradviz",  # this program
        "requires_grad",  # a parameter of torch's
    }
)
"""What is called the same in every language."""

WORDS_OF_CODE = frozenset(
    {
        *("large tensor ", "search index"),  # lanes of the background
        " was not opened completely.",  # ends a job that nobody waits for
        *("has NaN", "not finite", "to come"),  # what one types into Find; keys of tables
        "code of ",  # begins a line of a story
    }
)
"""What has a space and is never shown, or only as it is typed."""

ENGLISH = {
    "app_services.py": "goes into the report of an error, which is read by those who mend it",
    "faults/crash_report.py": "Python's own words, looked for in a file",
    "inputs/remembered_inputs.py": "goes into the log",
    "preferences.py": "goes into the log",
    "faults/qt_messages.py": "Qt's own words, which are kept quiet",
    "screenshot.py": "for the command line, which speaks English",
    "svg_picture.py": "goes to the command line",
    "theme/theme.py": "names of a property",
}
"""Files whose sentences nobody translates, and why."""

TABLES = {
    ("local_keys.py", "key.text"): "the declarations of keys mark their texts",
    ("local_keys.py", "scope.title"): "the declarations of keys mark their texts",
    ("window/main_window.py", "spec.title"): "the declarations of panels mark their titles",
}
"""Where a text out of a table is translated, and why it still can be found."""

WORD = re.compile(r"[^\W\d_]{2,}")
SENTENCE = re.compile(r"[A-Za-z]{2,},? [A-Za-z]{2,}")
BETWEEN_FACTS = re.compile(r"\s*([·:\n|,/—–=]|  )\s*|")


def translates(node: ast.AST) -> bool:
    """Whether this is a call of tr; a painter moves what is painted, a str replaces characters."""
    if not isinstance(node, ast.Call) or called_name(node) not in TRANSLATE:
        return False
    if called_name(node) == "translate" and len(node.args) == 1:
        return False
    return not ast.unparse(node.func).startswith("painter.")


def files() -> dict[str, Module]:
    """The modules of the viewer by their path below it."""
    return {each.path.relative_to("viewer").as_posix(): each for each in modules_below("viewer")}


def source_text(call: ast.Call) -> ast.expr:
    return call.args[0 if called_name(call) == "tr" else 1]


def bare_words(node: ast.AST) -> Iterator[str]:
    """Words that are shown unchanged."""
    if translates(node):
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and WORD.search(node.value) and node.value not in NAMES:
            yield node.value
        return
    skipped = not_shown(node)
    for child in ast.iter_child_nodes(node):
        if child not in skipped:
            yield from bare_words(child)


def not_shown(node: ast.AST) -> list[ast.AST]:
    """The parts of an expression that do not become a part of its text."""
    match node:
        case ast.Compare() | ast.Lambda():
            return list(ast.iter_child_nodes(node))
        case ast.Subscript():
            return [node.slice]
        case ast.IfExp():
            return [node.test]
        case ast.FormattedValue(format_spec=ast.AST() as spec):
            return [spec]
        # What other calls do with a word is their matter.
        case ast.Call() if called_name(node) not in {"format", "join"}:
            return [*node.args, *node.keywords]
    return []


def shown_bare(tree: ast.Module) -> list[str]:
    """Words that are given to the user without a translation."""
    found = []
    for node in nodes_of(tree):
        # The catalogue's function takes the key of a sentence.
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "say":
            continue
        if isinstance(node, ast.Call) and called_name(node) in SHOWING:
            args = node.args[:1] if called_name(node) in FIRST_ONLY else node.args
            found += [f"{node.lineno}: {word!r}" for arg in args for word in bare_words(arg)]
    return found


def not_literal(path: str, tree: ast.Module) -> list[str]:
    """Translated expressions that are not literals; a function `tr` may pass one on."""
    wrapped = {
        id(node)
        for function in nodes_of(tree)
        if isinstance(function, ast.FunctionDef) and function.name in TRANSLATE
        for node in ast.walk(function)
    }
    found = []
    for node in nodes_of(tree):
        if not isinstance(node, ast.Call) or not translates(node) or id(node) in wrapped:
            continue
        text = source_text(node)
        literal = isinstance(text, ast.Constant) and isinstance(text.value, str)
        known = (path, ast.unparse(text)) in TABLES
        if not literal and not known:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def has_translation(node: ast.AST) -> bool:
    """Whether the value of an expression is a translation, or starts or ends with one."""
    if translates(node):
        return True
    if isinstance(node, ast.Call):
        inner = node.func
        return isinstance(inner, ast.Attribute) and has_translation(inner.value)
    if isinstance(node, ast.BinOp):
        return has_translation(node.left) or has_translation(node.right)
    if isinstance(node, ast.IfExp):
        return has_translation(node.body) or has_translation(node.orelse)
    if isinstance(node, ast.FormattedValue):
        return has_translation(node.value)
    return isinstance(node, ast.JoinedStr) and any(map(has_translation, node.values))


def literal_of(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def glued(tree: ast.Module) -> list[str]:
    """Sentences put together from pieces, one of which is a translation."""
    found = []
    for node in nodes_of(tree):
        pieces: list[ast.expr] = []
        if isinstance(node, ast.JoinedStr):
            pieces = node.values
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            pieces = [node.left, node.right]
        if not any(map(has_translation, pieces)):
            continue
        texts = [text for text in map(literal_of, pieces) if text is not None]
        bare = [text for text in texts if WORD.search(text)]
        together = sum(map(has_translation, pieces)) > 1
        spaced = together and not any(BETWEEN_FACTS.fullmatch(text) and text for text in texts)
        if bare or spaced:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def sentences(tree: ast.Module) -> list[str]:
    """Texts of several words that are neither translated nor machine-readable."""
    passed = {
        id(inner)
        for node in nodes_of(tree)
        if translates(node) or isinstance(node, ast.Expr) or is_for_machines(node)
        for inner in ast.walk(node.value if isinstance(node, ast.Expr) else node)
        if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant)
    }
    return [
        f"{node.lineno}: {node.value!r}"
        for node in nodes_of(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in passed
        and node.value not in WORDS_OF_CODE
        and SENTENCE.search(node.value)
        and not re.search(r"[{};]", node.value)
    ]


def is_for_machines(node: ast.AST) -> bool:
    """Logs, ids of widgets and of lanes, types in quotes, words that are compared."""
    if isinstance(node, ast.Compare | ast.AnnAssign | ast.arg):
        return True
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id == "Literal"
    if not isinstance(node, ast.Call):
        return False
    if called_name(node) in {"setObjectName", "cast"}:
        return True
    return ast.unparse(node.func).startswith("_LOG.")


def test_what_is_shown_can_be_translated() -> None:
    found = {}
    for path, module in files().items():
        tree = module.tree
        faults = [*shown_bare(tree), *not_literal(path, tree), *glued(tree)]
        faults += [] if path in ENGLISH else sentences(tree)
        if faults:
            found[path] = faults
    assert len(files()) > 200
    assert found == {}


def test_the_exceptions_are_needed() -> None:
    for path in ENGLISH:
        assert sentences(files()[path].tree), path
    for path, text in TABLES:
        assert text in files()[path].source


@pytest.mark.parametrize(
    "source",
    [
        'label.setText("Run it")',
        'label.setText(f"{count} steps")',
        'label.setText("Run it" if new else self.tr("Run"))',
        'label.setText(", ".join(["one", name]))',
        'QPushButton("Go", self)',
        'menu.addItem("Sum", "sum")',
    ],
)
def test_bare_words_are_found(source: str) -> None:
    assert shown_bare(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        'self.tr(f"{count} steps")',
        "self.tr(text)",
        'translate("Here", "one" if count == 1 else "many")',
        'QCoreApplication.translate("Here", text)',
    ],
)
def test_untranslatable_texts_are_detected(source: str) -> None:
    assert not_literal("window.py", ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        'self.tr("step") + " of " + name',
        'self.tr("It runs.") + " " + self.tr("It ends.")',
        'self.tr("step {0}").format(1) + self.tr(" is shown")',
        "f\"{translate('Here', 'the worst')} of {count}\"",
        "f\"{translate('Here', 'the worst')} {translate('Here', 'element')}\"",
    ],
)
def test_glue_is_found(source: str) -> None:
    assert glued(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        'label.setText(self.tr("{0} steps").format(count))',
        'label.setText(words["a word"])',
        'box.addItem(translate("Here", "all"), "all")',
        "label.setText(f\"{translate('Here', 'step')} · {translate('Here', 'pass')}\")",
        'label.setText("requires_grad")',
        "painter.translate(left, top)",
    ],
)
def test_what_is_right_is_let_be(source: str) -> None:
    tree = ast.parse(source)
    assert not shown_bare(tree) + not_literal("window.py", tree) + glued(tree)
