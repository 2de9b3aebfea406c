"""The window: its bars, docks and menus."""
