"""Validates JSON output against the schemas that gradviz ships."""

from __future__ import annotations

import functools
import json
from typing import Any

import jsonschema

from gradviz.resource import resource_path


def assert_fits(document: Any, name: str) -> None:
    """Assert that the document, as JSON, matches the schema of that name."""
    as_read = json.loads(json.dumps(document, allow_nan=False))
    _validator(name).validate(as_read)


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    text = resource_path(f"schemas/{name}.schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
