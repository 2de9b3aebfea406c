"""A run as one self-contained HTML page that steps in any browser."""
