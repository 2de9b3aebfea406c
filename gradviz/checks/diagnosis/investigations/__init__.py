"""Diagnoses that run the checked function again."""
