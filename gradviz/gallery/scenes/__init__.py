"""One small module for each scene, written as a user would write it."""
