"""Exports of a Jacobian check: text, JSON, JUnit, HTML, SVG and NPZ."""
