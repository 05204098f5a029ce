#!/usr/bin/python3
"""validate_schema.py SCHEMA DOCUMENT: exit 0 valid, 1 invalid (each error on a line), 77 when the
jsonschema package (Debian: python3-jsonschema) is missing."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    document = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
for error in errors:
    print("/".join(str(part) for part in error.absolute_path) or "(root)", error.message[:300])
sys.exit(1 if errors else 0)
