"""Texts for people are in the catalogue, ready for translation.

A text in the code is allowed if it is compared with torch's own messages, or read by programmers.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

import pytest

from tests.architecture.layers import PACKAGE
from tests.architecture.modules import Module, modules, modules_below, nodes_of

EXCEPT = {
    "catalogue": "the sentences themselves",
    "viewer": "its own texts go through Qt's translate",
}
"""Folders and modules that are not examined, and why."""
FOLDERS = sorted(
    each.name
    for each in PACKAGE.iterdir()
    if each.name not in EXCEPT and (each.suffix == ".py" or (each / "__init__.py").exists())
)
DETAILS = {
    "analysis/arithmetic/expression.py": "names of NumPy's functions",
    "analysis/arithmetic/op_formulas.py": "names of torch's ops",
    "analysis/dependence/op_rules.py": "names of torch's ops",
    "analysis/named_values.py": "errors for those who write a lesson or a page",
    "story/step_clicks.py": "lines that say what a picture shows",
    "gallery/groups": "the English titles and summaries of scenes, which are translated by key",
    "gallery/guide/parser.py": "errors for those who write a page",
    "gallery/scenes": "programs as users write them",
    "model/codec.py": "details of a damaged trace or an invalid message",
    "model/validation/": "details of a damaged trace",
    "protocol/": "details of an invalid message",
    "recorder/errors/refusals.py": "torch's messages",
    "recorder/patching/": "source code that it compiles",
    "store/lazy_rows.py": {
        "WHERE id > ?": "SQL",
        "rows of table xx are found twice": "a detail of a damaged trace",
        "table xx has more content than the file": "a detail of a damaged trace",
    },
    "store/row_codec.py": "details of a damaged trace",
}
"""Modules and folders that contain no text for people, and what they contain instead.

Details are for programmers: people read them behind a sentence of the catalogue.
"""
SQL = re.compile(r"(BEGIN|COMMIT|CREATE|DELETE|INSERT|PRAGMA|VACUUM|ROLLBACK|SELECT|UPDATE) ")
PAIR = re.compile(r"(?=\b([A-Za-z]{2,})[,:]? ([A-Za-z]{2,}))")
PLACEHOLDER = "xx"

XML = '<?xml version="1.0" encoding="UTF-8"?>\nxx\n'
NAMES = {
    f"{what} {PLACEHOLDER}"
    for what in ("gradient", "input", "output", "parameter", "saved", "scalar", "value")
} | {f"{PLACEHOLDER} (group {PLACEHOLDER})"}
"""Names in a trace of values that have none. They are equal in all languages, so that runs of two
languages can be paired by them."""

TEXTS = {
    "__init__.py": {"module xx has no attribute xx": "Python's message"},
    "api/doctor.py": {
        "<DoctorResult xx findings=xx checked=xx/xx>": "a repr, whose form is Python's",
    },
    "api/result.py": {"<CheckResult xx [xx] xx>": "a repr, whose form is Python's"},
    "analysis/compare/shared_inputs.py": {"xx is not one of xx": "an exception for programmers"},
    "analysis/dependence/element_dependence.py": {
        "xx cannot be read": "an exception that means: unknown",
        "xx is not a dimension": "an exception that means: unknown",
        "xx is not a list of dimensions": "an exception that means: unknown",
    },
    "analysis/memory/version_error.py": {
        "modified by an inplace operation": "part of torch's message",
        r"Tensor \[([\d, ]*)\]\].* is at version (\d+); expected version (\d+) instead": (
            "part of torch's message"
        ),
    },
    "checks/battery/battery.py": {"single memory location": "part of torch's message"},
    "checks/diagnosis/investigations/refused_shape.py": {
        "returned an invalid gradient at index": "part of torch's message",
        "shapes cannot be multiplied": "part of torch's message",
        "size mismatch": "part of torch's message",
        "must match the size": "part of torch's message",
        "inconsistent tensor": "part of torch's message",
    },
    "checks/diagnosis/support/rule.py": {"undeclared diagnosis xx": "an exception for programmers"},
    "checks/reliability/repeatability.py": {
        "has been modified by an inplace operation": "part of torch's message"
    },
    "checks/reliability/nondeterminism.py": {
        "backward through the graph a second time": "part of torch's message"
    },
    "checks/stages/batched_gradients.py": {
        "There is a performance drop": "the beginning of torch's warning"
    },
    "checks/variations/vary.py": {
        "not implemented for": "part of torch's messages",
        "not supported": "part of torch's messages",
        "Unsupported dtype": "part of torch's messages",
    },
    "cli/parser.py": {},
    "cli/version.py": {"dot - graphviz version ": "the words of dot"},
    "export/page/guide_articles.py": {
        '<div class="graph" role="img" aria-label="xx">xx</div>': "HTML",
        '<div class="wide">xx</div>': "HTML",
        '<span class="xx" title="xx">xx</span>': "HTML",
    },
    "gallery/guide/pictures.py": {'<svg xmlns="http://www.w3.org/2000/svg"': "SVG"},
    "lesson/shipped.py": {"gradviz export xx -o handout.pdf": "a command"},
    "linter/doctor_finding.py": {"<DoctorFinding xx xx xx xx>": "a repr, whose form is Python's"},
    "linter/examples_source.py": {"import torch": "a line of Python"},
    "linter/source_findings.py": {
        "the source rule xx is not declared": "an exception for programmers"
    },
    "drawing/appearance/font_metrics.py": {"Mxx xxxx": "a path of SVG"},
    "drawing/appearance/text_styles.py": {
        "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif": "names of fonts"
    },
    "export/slides_pptx.py": {"Courier New": "name of a font"},
    "drawing/graphviz/layout_dot.py": {
        '<<TABLE BORDER="0" xx><TR><TD></TD></TR></TABLE>>': "a label in DOT"
    },
    "drawing/graphviz/layout_engine.py": {
        "\nimport ctypes, os, sys\nctypes.CDLL(None).prctl(1, 9)\nif os.getppid() =="
        " int(sys.argv[1]):\n    os.execvp(sys.argv[2], sys.argv[2:])\n": "a program",
    },
    "export/check/junit.py": {"gradviz check": "the command"},
    "export/html_fragment.py": {
        "background:var(--gradviz-canvas);color:var(--gradviz-text);padding:10px 14px;"
        "border:1px solid var(--gradviz-border);border-radius:6px;overflow-x:auto;"
        "font-family:Inter,'Helvetica Neue',Arial,sans-serif": "CSS",
    },
    "export/graph/dot.py": {
        "classDef xx fill:xx,stroke:xx,color:xxxx": "Mermaid",
        "flowchart BT": "Mermaid",
        "subgraph xx[xx]": "Mermaid",
        "xx xxxx xx": "Mermaid",
    },
    "export/graph/svg_cells.py": {
        "Mxx xxLxx xx": "a path of SVG",
        "Mxx xxhxxvxxh-xxz": "a path of SVG",
    },
    "export/graph/svg_document.py": {XML: "XML"},
    "export/graph/tikz.py": dict.fromkeys(
        (
            "\\node[anchor=base, inner sep=0, text=xx]",
            "dash pattern=on {}bp off {}bp",
            "draw=xx, line width=xxbp",
            "line cap=round",
            "line width=0.8bp",
            "line width=xxbp",
            "rounded corners=xxbp",
            "xx at xx {\\gradvizlinexx{xx}};",
            "xx rectangle xx",
        ),
        "TikZ",
    ),
    "export/tensor/python_source.py": {
        "torch.empty(xx, dtype=torch.xx)": "Python source",
        "xxxx, dtype=torch.xx)": "Python source",
    },
    "host/crash_location.py": {
        r"\(most recent call first\):$": "faulthandler's words",
    },
    "host/program.py": {
        'import signal, sys\nif hasattr(signal, "pthread_sigmask"):\n'
        "    signal.pthread_sigmask(signal.SIG_SETMASK, {mask})\n"
        "if not sys.flags.safe_path:\n    del sys.path[0]\n"
        "sys.path.append(sys.argv[1])\nfrom gradviz.worker.program.entry import main\nmain()\n": (
            "a program"
        )
    },
    "host/pool.py": {"the pool of child processes is closed": "an exception for programmers"},
    "model/element_encoding.py": {"beyond the largest float": "an exception for programmers"},
    "model/tensor.py": {
        "values of dtype xx cannot be stored": "an exception for programmers",
    },
    "model/what_if_values.py": {
        "elements of dtype xx cannot be set one by one": "an exception for programmers"
    },
    "recorder/backward/backward_rules.py": {
        "backward through the graph a second time": "part of torch's message",
        r"returned an incorrect number of gradients \(expected (\d+), got (\d+)\)": (
            "part of torch's message"
        ),
        r"returned an invalid gradient at index (\d+) - got (\[.*?\]) but expected": (
            "part of torch's message"
        ),
        r"expected Variable or None \(got ": "part of torch's message",
        r"gradient different than None at position (\d+)": "part of torch's message",
        r"expected shape compatible with (\[[\d, ]*\])": "part of torch's message",
    },
    "recorder/autograd_graph.py": {"gradviz recording xx": "a key in a node's metadata"},
    "recorder/console_capture.py": {
        "write() argument must be str, not xx": "Python's message",
    },
    "recorder/forward/saved_values.py": {
        "xx (xx as uint64)": "a value, which is the same in all languages"
    },
    "recorder/safe_text.py": {
        "int of xx bits": "the notation of a value in the trace",
        "xx.xx object": "Python's notation of an object",
    },
    "pytest_plugin.py": {
        "write a trace and a diagnosis for every failing gradcheck and every NaN gradient": (
            "help of an option; the catalogue must not be loaded without it"
        ),
        "folder for the traces of --gradviz (default: %(default)s)": "the same",
    },
    "preflight.py": {
        "xxapt-get install --no-install-recommends xx": "a command",
        "xxdnf install xx": "a command",
    },
    "resource.py": {
        "gradviz has no resource xx in xx. Is the installation complete?": (
            "an exception for programmers"
        )
    },
    "store/reader.py": {
        "ids of kind tensor do not ascend": "a detail of a damaged trace",
        "ids of kind xx do not ascend": "a detail of a damaged trace",
        "tensor xx does not exist": "a detail of a damaged trace",
        "the elements of tensor xx are incomplete": "a detail of a damaged trace",
    },
    "store/lazy_rows.py": {
        "rows of table tensor are found twice": "a detail of a damaged trace",
    },
    "store/writer.py": {
        "tensor xx has xx bytes instead of xx": "an exception for programmers",
        "unknown table xx": "an exception for programmers",
    },
    "store/writer_start.py": {
        "import sys; sys.path += sys.argv[2:];from gradviz.store.writer_program import main;"
        " main(sys.argv[1])": "a program",
    },
    "text/sentences/second_order.py": {
        "does not require grad and does not have a grad_fn": "part of torch's message"
    },
}
"""Texts that are not translated, and why."""


def sentences(tree: ast.Module) -> Iterator[str]:
    """Strings with words in sequence, other than docstrings; placeholders count as a word."""
    skipped: set[ast.AST] = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        if isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
            skipped.update(
                spec
                for each in node.values
                if isinstance(each, ast.FormattedValue) and (spec := each.format_spec) is not None
            )
    for node in nodes_of(tree):
        text = "" if node in skipped else text_of(node)
        if any(set(pair) != {PLACEHOLDER} for pair in PAIR.findall(text)):
            yield text


def text_of(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(each) or PLACEHOLDER for each in node.values)
    return ""


def codes(source: str) -> set[str]:
    """Members of the `Literal` types of a module: mypy checks them, and nobody reads them."""
    return set(re.findall(r'"([^"]*)"', "".join(re.findall(r"\bLiteral\[[^]]*\]", source))))


@functools.cache
def known_codes() -> set[str]:
    return codes("".join(each.source for each in modules().values()))


def texts_in(module: Module) -> set[str]:
    found = set(sentences(module.tree)) - known_codes()
    if module.path.is_relative_to("recorder"):
        found -= NAMES
    return {each for each in found if SQL.match(each) is None}


def modules_of(name: str) -> list[Module]:
    """The modules of a folder, or the module itself, without those in `DETAILS`."""
    details = tuple(DETAILS)
    return [each for each in modules_below(name) if not each.path.as_posix().startswith(details)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_texts_for_people_stand_in_the_catalogue(folder: str) -> None:
    found = {}
    for module in modules_of(folder):
        name = module.path.as_posix()
        if texts := texts_in(module) - TEXTS.get(name, {}).keys():
            found[name] = texts
    assert found == {}


def test_what_is_allowed_is_there() -> None:
    assert all((PACKAGE / name).exists() for name in (*EXCEPT, *DETAILS))
    for name, texts in TEXTS.items():
        (module,) = modules_below(name)
        assert texts.keys() <= texts_in(module)


def test_sentences_are_found() -> None:
    def sentences_of(source: str) -> Iterator[str]:
        return sentences(ast.parse(source))

    source = 'def f(x):\n    """Not this one."""\n    return f"{x} is wrong: {x:.3g} not {1}", "b"'
    assert list(sentences_of(source)) == ["xx is wrong: xx not xx"]
    assert list(sentences_of('f"{a} raised {b}"')) == ["xx raised xx"]
    assert list(sentences_of("f'{a}, line {b}'")) == ["xx, line xx"]
    assert list(sentences_of("f'{a} {b}'; f'{a}[{b}]'; ', '")) == []


def test_codes_are_found() -> None:
    assert codes('Why = Literal[\n    "no node",\n    "never",\n] | None') == {"no node", "never"}
    assert codes('why = {"no node": 1}["no node"]') == set()
