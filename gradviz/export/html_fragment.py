"""Self-contained HTML fragments for notebooks, in the colors of a light and a dark theme."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from urllib.parse import quote

from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import (
    Paint,
    PaletteRole,
    PaletteTheme,
    color,
    theme_paint,
)
from gradviz.drawing.content.plain_text import label_text
from gradviz.export.graph.svg_elements import escaped, svg_element

_MOST_LINES = 200
_MOST_CHARACTERS = 2000
_PLAIN = " =/:;,.()-_"
"""Characters that a data URL and an attribute may contain as they are."""

_PICTURES: tuple[tuple[PaletteTheme, str], ...] = (("light", ""), ("dark", "display:none"))
"""Themes of a picture, with the style that applies where a page strips the style element."""

DARK_NOTEBOOKS = (
    '[data-jp-theme-light="false"]',
    ".vscode-dark",
    ".vscode-high-contrast:not(.vscode-high-contrast-light)",
    'html[theme="dark"]',
    "body.dark-theme",
)
"""Selectors of dark notebooks: JupyterLab, VS Code, Colab, marimo. They override the system's."""

LIGHT_NOTEBOOKS = (
    '[data-jp-theme-light="true"]',
    ".vscode-light",
    ".vscode-high-contrast-light",
    'html[theme="light"]',
    "body.light-theme",
)
"""Selectors of the same notebooks in their light themes."""


class HtmlFragment:
    """A fragment that loads nothing and runs no script; it is also well-formed XML.

    Attributes:
        paint: Colors as CSS values, which follow the theme of the notebook.
    """

    def __init__(self) -> None:
        self._used: set[PaletteRole] = {"text", "text_muted", "canvas", "border"}
        self.paint = Paint("light", self._color_of)

    def _color_of(self, role: PaletteRole) -> str:
        self._used.add(role)
        # The light color applies where a page strips the style element.
        return f"var(--gradviz-{role.replace('_', '-')}, {color(role, 'light')})"

    def title(self, content: str) -> str:
        """Format the title of the fragment."""
        return html_text("div", content, "font-size:1.3em;font-weight:600")

    def muted(self, content: str) -> str:
        """Format a line of smaller, muted text."""
        return html_text("div", content, f"color:{self.paint('text_muted')};font-size:0.85em")

    def picture(self, render: Callable[[Paint], str], text: str) -> str:
        """Format an SVG as an image in the colors of either theme, of which the style shows one.

        Notebooks that are not trusted remove the tags of an SVG from its texts, but keep images.
        They also remove the style, and show the image for the light theme.

        Args:
            render: Returns the SVG in the colors that it is given.
            text: What a screen reader reads instead.
        """
        return "".join(
            svg_image(render(theme_paint(theme)), text, f"gradviz-{theme}", style)
            for theme, style in _PICTURES
        )

    def document(self, inside: str) -> str:
        """Put the style, with all colors that were painted, around the content."""
        return svg_element("div", _style(self._used) + inside, class_="gradviz")


def html_text(tag: str, content: str, style: str = "") -> str:
    """Format an element that contains plain text."""
    inside = escaped(label_text(content, most=_MOST_CHARACTERS))
    return svg_element(tag, inside, style=style) if style else svg_element(tag, inside)


def svg_image(svg: str, text: str, class_: str, style: str = "") -> str:
    """Format an SVG as an image that is as wide as it can be.

    Args:
        svg: The SVG.
        text: What a screen reader reads instead.
        class_: Class of the image.
        style: More CSS declarations.
    """
    source = f"data:image/svg+xml,{quote(svg, safe=_PLAIN)}"
    alt = label_text(text, most=_MOST_CHARACTERS)
    return svg_element("img", src=source, alt=alt, class_=class_, style=f"max-width:100%;{style}")


def folded_text(lines: Iterable[str]) -> str:
    """Format lines of plain text that are shown on a click; at most the first 200."""
    # One line more than is shown tells whether there are others.
    found = list(islice(lines, _MOST_LINES + 1))
    if len(found) > _MOST_LINES:
        found[_MOST_LINES:] = ["…"]
    text = "\n".join(escaped(label_text(each, most=_MOST_CHARACTERS)) for each in found)
    style = "white-space:pre;overflow-x:auto;color:inherit;background:none"
    inside = html_text("summary", say("report.as_text")) + svg_element("pre", text, style=style)
    return svg_element("details", inside)


def _style(roles: set[PaletteRole]) -> str:
    """CSS rules, with the colors of both themes as variables."""
    light, dark = (
        ";".join(f"--gradviz-{role.replace('_', '-')}:{color(role, theme)}" for role in ordered)
        for ordered in [sorted(roles)]
        for theme in ("light", "dark")
    )
    light += ";--gradviz-light:inline;--gradviz-dark:none"
    dark += ";--gradviz-light:none;--gradviz-dark:inline"
    own = (
        "background:var(--gradviz-canvas);color:var(--gradviz-text);padding:10px 14px;"
        "border:1px solid var(--gradviz-border);border-radius:6px;overflow-x:auto;"
        "font-family:Inter,'Helvetica Neue',Arial,sans-serif"
    )
    rules = (
        f".gradviz{{{light};{own}}}",
        f"@media (prefers-color-scheme:dark){{.gradviz{{{dark}}}}}",
        f"{_within(DARK_NOTEBOOKS)}{{{dark}}}",
        f"{_within(LIGHT_NOTEBOOKS)}{{{light}}}",
        *(
            f".gradviz-{theme}{{display:var(--gradviz-{theme})!important}}"
            for theme, _ in _PICTURES
        ),
    )
    return svg_element("style", "".join(rules))


def _within(notebooks: Iterable[str]) -> str:
    return ",".join(f"{notebook} .gradviz" for notebook in notebooks)
