"""The guide: one page per scene and chapter, with links into the run."""
