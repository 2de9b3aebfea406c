"""JSON Schemas of what gradviz prints, and how tests ask for them."""

import json
from pathlib import Path
from typing import Any

import jsonschema


def assert_fits(document: Any, name: str) -> None:
    """Fails unless the document, as JSON text would have it, fits the schema of that name."""
    text = Path(__file__).with_name(f"{name}.schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    as_read = json.loads(json.dumps(document, allow_nan=False))
    jsonschema.Draft202012Validator(schema).validate(as_read)
