"""Words of the site itself; those of guide, lessons and scenes are in the package."""

from __future__ import annotations

from gradviz.catalogue.language import current_language

_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "gallery": "Gallery",
        "about": "A scene is a small program that shows one thing about autograd. Each has a"
        " picture and a page that steps: with the arrow keys, the slider or a swipe."
        " A lesson leads through the scenes, with questions and answers.",
        "steps": "Step through this run",
        "explained": "What to look at, step by step",
        "beside": "Compare it with {title}",
        "terminal": "To open it in the window:",
        "lessons": "Lessons",
        "lesson": "{stops} stops, {minutes:g} minutes",
        "answer": "Answer",
        "explanation": "Explanation",
        "jacobians": "{title}: Jacobians",
        "step": "{title}: step {place}",
        "guide": "Guide",
        "install": "Install",
        "tutorials": "Tutorials",
        "how_to": "How-to",
        "reference": "Reference",
        "explanations": "Explanation",
        "project": "Project",
        "rules": "Rules",
    },
    "de": {
        "gallery": "Galerie",
        "about": "Eine Szene ist ein kleines Programm, das einen Aspekt von Autograd zeigt. Jede"
        " hat ein Bild und eine Seite, durch die Sie sich Schritt für Schritt bewegen: mit den"
        " Pfeiltasten, dem Schieberegler oder durch Wischen. Eine Lektion führt mit Fragen und"
        " Antworten durch die Szenen.",
        "steps": "Diesen Lauf Schritt für Schritt ansehen",
        "explained": "Worauf Sie achten können, Schritt für Schritt",
        "beside": "Vergleichen mit {title}",
        "terminal": "Im Fenster öffnen Sie sie so:",
        "lessons": "Lektionen",
        "lesson": "{stops} Stationen, {minutes:g} Minuten",
        "answer": "Antwort",
        "explanation": "Erklärung",
        "jacobians": "{title}: Jacobi-Matrizen",
        "step": "{title}: Schritt {place}",
        "guide": "Leitfaden",
        "install": "Installation",
        "tutorials": "Tutorials (englisch)",
        "how_to": "Anleitungen (englisch)",
        "reference": "Referenz",
        "explanations": "Hintergrund (englisch)",
        "project": "Projekt (englisch)",
        "rules": "Regeln",
    },
    "zh": {
        "gallery": "示例库",
        "about": "示例是展示 autograd 某一方面的小程序。每个示例都有一张图片和一个"
        "可以逐步浏览的页面：使用方向键、滑块或滑动手势。课程通过问答带您学习这些示例。",
        "steps": "逐步浏览这次运行",
        "explained": "逐步说明要看什么",
        "beside": "与{title}比较",
        "terminal": "在窗口中打开：",
        "lessons": "课程",
        "lesson": "{stops} 个站点，{minutes:g} 分钟",
        "answer": "答案",
        "explanation": "说明",
        "jacobians": "{title}：雅可比矩阵",
        "step": "{title}：步骤 {place}",
        "guide": "指南",
        "install": "安装（英文）",
        "tutorials": "教程（英文）",
        "how_to": "操作方法（英文）",
        "reference": "参考",
        "explanations": "原理说明（英文）",
        "project": "项目（英文）",
        "rules": "规则",
    },
}


def site_text(key: str, /, **values: object) -> str:
    """A text of the site in the current language, with its placeholders filled in."""
    return _WORDS[current_language()][key].format(**values)
