"""The timeline: all steps in a row, with playback controls."""
