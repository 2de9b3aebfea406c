"""The main window's style sheet: thin separators, muted titles, underlined tabs."""

from __future__ import annotations

from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, sheet_color


def window_style(theme: Theme) -> str:
    """Return the style rules that palette and style cannot express.

    Few, since each slows down polishing. Dialogs and tooltips get them from their parent.
    """
    panel, border, strong = (sheet_color(role) for role in ("panel", "border", "border_strong"))
    text, muted, accent = (sheet_color(role) for role in ("text", "text_muted", "accent"))
    focus, raised, error = (sheet_color(role) for role in ("focus", "raised", "error"))
    return f"""{_common_rules()}
        QMainWindow::separator {{ background: {border}; width: 1px; height: 1px; margin: 2px; }}
        QMainWindow::separator:hover {{ background: {accent}; }}
        QDockWidget {{ color: {muted}; font-size: {theme.px(SMALL_PIXELS)}px; font-weight: 600; }}
        QDockWidget::title {{ background: {panel}; padding: 6px 12px; text-align: left; }}
        QToolBar#top-bar, QToolBar#timeline {{ background: {panel}; border: none; spacing: 0; }}
        QToolButton#menu::menu-indicator {{ image: none; }}
        QToolBar#top-bar {{ border-bottom: 1px solid {border}; }}
        QToolBar#timeline {{ border-top: 1px solid {border}; }}
        QToolBar#rail {{ background: {panel}; border: none; border-right: 1px solid {border}; }}
        QFrame#overlay {{
            background: {panel}; border: none; border-right: 1px solid {strong};
        }}
        QMenuBar {{ background: {panel}; padding: 2px 6px; }}
        QTabBar#views::tab {{
            color: {muted}; background: transparent; border: none; padding: 9px 16px 7px 16px;
            border-bottom: 2px solid transparent; font-weight: 600;
        }}
        QTabBar#views::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}
        QTabBar#views::tab:hover {{ color: {text}; }}
        QTabBar#views::tab:focus {{ background: {raised}; }}
        QMainWindow > QTabBar {{ font-size: {theme.px(SMALL_PIXELS)}px; }}
        QMainWindow > QTabBar::tab {{
            color: {muted}; background: transparent; border: none; padding: 4px 14px 5px 14px;
            border-top: 2px solid transparent; font-weight: 600;
        }}
        QMainWindow > QTabBar::tab:selected {{
            color: {text}; background: {panel}; border-top: 2px solid {accent};
        }}
        QMainWindow > QTabBar::tab:hover {{ color: {text}; }}
        QMainWindow > QTabBar::tab:focus {{ background: {raised}; }}
        QTreeView#library {{
            background: {panel}; border: none; outline: none;
        }}
        QLineEdit {{
            background: {panel}; border: 1px solid {strong}; border-radius: 4px; padding: 3px 5px;
        }}
        QLineEdit:focus {{ border: 1px solid {focus}; }}
        QLineEdit#find, QLineEdit#palette, QLineEdit#library-search {{ padding: 4px 6px; }}
        QTreeView#outline {{ background: {panel}; border: none; outline: none; }}
        QTreeView#outline QHeaderView::section {{
            background: {panel}; color: {muted}; border: none; border-bottom: 1px solid {border};
            padding: 4px 6px;
        }}
        QLineEdit[wrong="true"] {{ border: 2px solid {error}; padding: 2px 4px; }}
        QAbstractSpinBox QLineEdit, QComboBox QLineEdit {{ border: none; padding: 0; }}
    """


def _common_rules() -> str:
    """Rules for tooltips, primary and default buttons, and scroll bars, in dialogs as well."""
    border, strong = sheet_color("border"), sheet_color("border_strong")
    panel, text = sheet_color("panel"), sheet_color("text")
    accent, hover = sheet_color("accent"), sheet_color("accent_hover")
    on_accent, raised = sheet_color("accent_text"), sheet_color("raised")
    return f"""
        QToolTip {{ background: {panel}; color: {text}; border: 1px solid {strong}; padding: 4px; }}
        QPushButton[primary="true"], QMessageBox QPushButton:default {{
            background: {accent}; color: {on_accent}; border: 1px solid {accent};
            border-radius: 4px; padding: 4px 14px; font-weight: 600;
        }}
        QPushButton[primary="true"]:hover, QMessageBox QPushButton:default:hover {{
            background: {hover};
        }}
        QPushButton[primary="true"]:focus, QMessageBox QPushButton:default:focus {{
            border: 1px solid {text};
        }}
        QPushButton[primary="true"]:disabled {{
            background: {raised}; color: {strong}; border-color: {border};
        }}
        QScrollBar {{ background: transparent; border: none; margin: 0; }}
        QScrollBar:vertical {{ width: 12px; }}
        QScrollBar:horizontal {{ height: 12px; }}
        QScrollBar::handle {{ background: {border}; border-radius: 4px; margin: 2px; }}
        QScrollBar::handle:hover {{ background: {strong}; }}
        QScrollBar::handle:vertical {{ min-height: 28px; }}
        QScrollBar::handle:horizontal {{ min-width: 28px; }}
        QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
        QScrollBar::add-page, QScrollBar::sub-page {{ background: none; }}
    """
