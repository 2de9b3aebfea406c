"""The guide: a page for each scene and chapter, with links into the run."""
