"""The doctor: rules of custom Functions whose violations can be read from the source."""
