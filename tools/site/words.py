"""Words of the site itself; those of guide, lessons and scenes are in the package."""

from __future__ import annotations

from gradviz.catalogue.language import current_language

_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "gallery": "Gallery",
        "about": "Each scene opens as a page that steps: with the arrow keys, the slider or a"
        " swipe. A lesson leads through the scenes, with questions and answers.",
        "lessons": "Lessons",
        "lesson": "{stops} stops, {minutes:g} minutes",
        "answer": "Answer",
        "explanation": "Explanation",
        "jacobians": "{title}: Jacobians",
        "step": "{title}: step {place}",
        "guide": "Guide",
    },
    "de": {
        "gallery": "Galerie",
        "about": "Jede Szene ist eine Seite, durch die Sie sich Schritt für Schritt bewegen: mit"
        " den Pfeiltasten, dem Schieberegler oder durch Wischen. Eine Lektion führt mit Fragen und"
        " Antworten durch die Szenen.",
        "lessons": "Lektionen",
        "lesson": "{stops} Stationen, {minutes:g} Minuten",
        "answer": "Antwort",
        "explanation": "Erklärung",
        "jacobians": "{title}: Jacobi-Matrizen",
        "step": "{title}: Schritt {place}",
        "guide": "Leitfaden",
    },
    "zh": {
        "gallery": "示例库",
        "about": "每个示例都是一个可以逐步浏览的页面：使用方向键、滑块或滑动手势。"
        "课程通过问答带您学习这些示例。",
        "lessons": "课程",
        "lesson": "{stops} 个站点，{minutes:g} 分钟",
        "answer": "答案",
        "explanation": "说明",
        "jacobians": "{title}：雅可比矩阵",
        "step": "{title}：步骤 {place}",
        "guide": "指南",
    },
}


def site_text(key: str, /, **values: object) -> str:
    """A text of the site in the current language, with its placeholders filled in."""
    return _WORDS[current_language()][key].format(**values)
