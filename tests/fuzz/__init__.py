"""Fuzzer of the trace reader: damages real traces by chance and shows each in every way."""
