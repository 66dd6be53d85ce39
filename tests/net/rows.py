# SPDX-License-Identifier: MIT
"""The rows of the tables of transformations and forms that LANEWISE_SKIP may name."""
import pathlib
import re


def optional_rows():
    root = pathlib.Path(__file__).resolve().parents[2]
    passes, forms = root / "jit" / "passes.def", root / "vectorizer" / "forms" / "forms.def"
    return (re.findall(r"^PASS\(\w+, (\w+),[^,]*,[^,]*, OPTIONAL", passes.read_text(), re.M) +
            re.findall(r'^FORM\(\w+, "(\w+)", OPTIONAL', forms.read_text(), re.M))
