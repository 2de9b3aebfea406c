"""``python -m tools.architecture``: draws ``docs/architecture.svg`` from the import table.

An arrow leads from a layer to one that it imports; what follows from other arrows is left out.
"""

from __future__ import annotations

import ast
import html
import subprocess
import sys
import textwrap

from tests.architecture.layers import PACKAGE, ROOT, TABLE

PATH = ROOT / "docs" / "architecture.svg"
_ONE_NODE = {f"gallery.{part}": "gallery" for part in ("scene", "groups", "registry")}
_COLORS = {"torch": "#fce7f3", "PySide6": "#dbeafe", "neither": "#f3f4f6"}
"""Of the layers that import torch, Qt or neither of them."""
_LINE = 26


def drawing() -> str:
    """The layers as a graph in the DOT language."""
    edges = _reduced(_imported())
    nodes = [f"  {_quoted(name)} [{_look(name)}]" for name in sorted(edges)]
    arrows = [f"  {_quoted(a)} -> {_quoted(b)}" for a in sorted(edges) for b in sorted(edges[a])]
    key = [
        f'  "key {name}" [label="imports {name}" fillcolor="{color}" height=0.25]'
        for name, color in _COLORS.items()
    ]
    return "\n".join(
        [
            "digraph layers {",
            '  graph [nodesep=0.2 ranksep=0.4 fontname="Helvetica,Arial,sans-serif"]',
            '  node [shape=box style="rounded,filled" color="#64748b" fontsize=11 margin=0.2'
            ' fontname="Helvetica,Arial,sans-serif"]',
            '  edge [color="#64748b" arrowsize=0.7 fontsize=10'
            ' fontname="Helvetica,Arial,sans-serif"]',
            *nodes,
            *arrows,
            '  "host" -> "worker" [style=dashed label=" starts" constraint=false]',
            *key,
            "}",
        ]
    )


def main() -> int:
    """Write the drawing; returns the exit code."""
    source = drawing()
    command = ["dot", "-Tsvg"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    # Versions of Graphviz draw differently, so a test compares the source, which is kept inside.
    head, tag, rest = done.stdout.partition("<g ")
    kept = f"<desc>{html.escape(source)}</desc>\n"
    PATH.write_text(head + kept + tag + rest, encoding="utf-8")
    return 0


def _imported() -> dict[str, set[str]]:
    """The layers that each layer imports; what only starts others is left out."""
    found: dict[str, set[str]] = {}
    for name, rule in TABLE.items():
        if not rule.lazily and PACKAGE.joinpath(*name.split(".")[:1]).is_dir():
            node = _node(name)
            found.setdefault(node, set()).update({_node(each) for each in rule.ours} - {node})
    return found


def _reduced(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """The edges without those that a longer way implies."""
    return {
        name: below - {each for other in below for each in _reached(edges, other)}
        for name, below in edges.items()
    }


def _reached(edges: dict[str, set[str]], name: str) -> set[str]:
    return edges[name].union(*(_reached(edges, each) for each in edges[name]))


def _node(layer: str) -> str:
    return _ONE_NODE.get(layer, layer)


def _look(node: str) -> str:
    imported = {
        name for layer, rule in TABLE.items() if _node(layer) == node for name in rule.others
    }
    color = next(color for name, color in _COLORS.items() if name in {*imported, "neither"})
    tree = ast.parse(PACKAGE.joinpath(*node.split("."), "__init__.py").read_text("utf-8"))
    contents = (ast.get_docstring(tree) or "").partition("\n")[0].replace("`", "")
    label = "\\n".join([node, *textwrap.wrap(contents, _LINE, break_long_words=False)])
    return f'label={_quoted(label)} fillcolor="{color}"'


def _quoted(text: str) -> str:
    return '"' + text.replace('"', r"\"") + '"'


if __name__ == "__main__":
    sys.exit(main())
