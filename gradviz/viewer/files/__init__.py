"""Files: opened, dropped, watched, remembered."""
