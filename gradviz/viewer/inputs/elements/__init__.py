"""The grid in which elements are typed or pasted."""
