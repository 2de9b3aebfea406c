"""The main window with its bars, docks and menus."""
