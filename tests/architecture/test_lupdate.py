"""`pyside6-lupdate` finds every window text in the context where it is looked up."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import PySide6
from PySide6.QtCore import QObject

from tests.architecture.layers import PACKAGE, called_name
from tests.architecture.modules import modules_below, nodes_of

VIEWER = PACKAGE / "viewer"
TRANSLATIONS = PACKAGE.parent / "resources" / "translations"
CLASS = ast.ClassDef
TR = {"self.tr", "plural.tr"}
FIELD = re.compile(r"\{\w*\}|%Ln")


@cache
def tool(name: str) -> str:
    suffix = ".exe" if sys.platform == "win32" else ""
    return str(Path(PySide6.__file__).parent / f"{name}{suffix}")


def texts_for_qt(files: list[Path], folder: Path) -> set[tuple[str, str, bool]]:
    """Context, text and whether it has plural forms, of all texts that lupdate finds."""
    path = folder / "found.ts"
    command = [tool("lupdate"), "-silent", *map(str, files), "-ts", str(path)]
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True, timeout=60)
    return {
        (
            context.findtext("name") or "",
            message.findtext("source") or "",
            message.get("numerus") == "yes",
        )
        for context in ElementTree.parse(path).getroot().iter("context")
        for message in context.iter("message")
    }


def texts_of_code(node: ast.AST, owner: str = "") -> Iterator[tuple[str, str, bool]]:
    """The same of all calls in a module: `tr` belongs to the class around it."""
    for child in ast.iter_child_nodes(node):
        yield from texts_of_code(child, child.name if isinstance(child, CLASS) else owner)
    if not isinstance(node, ast.Call):
        return
    if called_name(node) not in {"tr", "translate", "QT_TRANSLATE_NOOP"}:
        return
    name = ast.unparse(node.func)
    literals = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
    if name.endswith(".tr"):
        # Of what is not `self`, lupdate takes the name for the context.
        literals = [owner if name == "self.tr" else name.removesuffix(".tr"), *literals]
    elif name not in {"translate", "QT_TRANSLATE_NOOP"}:
        return
    context, text, *rest = literals
    # The lines that look up what QT_TRANSLATE_NOOP has marked have no literals.
    if isinstance(context, str) and isinstance(text, str):
        yield context, text, len(rest) > 1


def test_every_text_is_found(tmp_path: Path) -> None:
    files = sorted(VIEWER.rglob("*.py"))
    code = {text for module in modules_below("viewer") for text in texts_of_code(module.tree)}
    assert len(code) > 1000
    found = texts_for_qt(files, tmp_path)
    assert sorted(code - found) == []
    assert sorted(found - code) == []


def test_what_qt_does_not_find_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "part.py"
    path.write_text(
        'NAME = f"{translate(\'Here\', \'lost\')}"\nTEXT = translate("Here", "found")\n'
    )
    assert texts_for_qt([path], tmp_path) == {("Here", "found", False)}
    assert ("Here", "lost", False) in texts_of_code(ast.parse(path.read_text()))


def test_tr_looks_up_the_class_around_it() -> None:
    """`tr` asks for the classes of an object: what is no QObject has none of its own."""
    for module in modules_below("viewer"):
        for owner in [node for node in nodes_of(module.tree) if isinstance(node, CLASS)]:
            called = _tr_calls(owner)
            if "self.tr" not in called:
                continue
            cls = getattr(import_module(module.name), owner.name)
            assert issubclass(cls, QObject), f"{module.name}: {owner.name}"
            assert called <= TR


def _tr_calls(tree: ast.AST) -> set[str]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        ast.unparse(call.func)
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "tr"
    }


def test_english_has_all_plural_forms(tmp_path: Path) -> None:
    """`make translations` updates both files; the forms of new texts are written by hand."""
    found = texts_for_qt(sorted(VIEWER.rglob("*.py")), tmp_path)
    root = ElementTree.parse(TRANSLATIONS / "gradviz_en.ts").getroot()
    forms = {
        (context.findtext("name"), message.findtext("source"), True): [
            form.text or "" for form in message.iter("numerusform")
        ]
        for context in root.iter("context")
        for message in context.iter("message")
    }
    assert forms.keys() == {text for text in found if text[2]}
    for (_, source, _), texts in forms.items():
        assert len(texts) == 2
        assert not any("(s)" in text or "(es)" in text for text in texts)
        assert sorted(FIELD.findall(texts[1])) == sorted(FIELD.findall(source or ""))
        assert set(FIELD.findall(texts[0])) <= set(FIELD.findall(source or ""))


def test_the_compiled_translations_are_up_to_date(tmp_path: Path) -> None:
    for source in TRANSLATIONS.glob("*.ts"):
        made = tmp_path / f"{source.stem}.qm"
        subprocess.run(
            [tool("lrelease"), "-silent", source, "-qm", made],
            stdin=subprocess.DEVNULL,
            check=True,
            timeout=60,
        )
        assert made.read_bytes() == source.with_suffix(".qm").read_bytes()
