"""What a drawn graph consists of: shapes, texts and cells, for the window and the exports."""
