"""The fields of the inputs form, and the parsing of their text."""
