"""The ops panel: every op that torch ran within a step."""
