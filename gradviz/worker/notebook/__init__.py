"""Jupyter notebooks, whose cells are offered one by one."""
