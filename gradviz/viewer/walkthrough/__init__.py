"""Parts of pages that explain something one idea at a time in Presenter Mode."""
