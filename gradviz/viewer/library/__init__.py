"""What can be run: the gallery and the files of the user."""
