"""Documentation: everything public is documented, and the generated module contains the
documentation of the crate `ffi`."""

import ast
import inspect
import re
from pathlib import Path
from typing import Any, Iterator, Tuple

import pytest
from material import ROOT

import rollbook
import rollbook.follow
import rollbook.httpx
import rollbook.live_feed
import rollbook.observe
import rollbook.records
import rollbook.requests
import rollbook.sync
from rollbook._native_calls import native


def words(text: str) -> str:
    return " ".join(text.replace("///", " ").split())


def test_the_generated_module_is_sound() -> None:
    source = Path(inspect.getsourcefile(native) or "").read_text(encoding="utf-8")
    ast.parse(source)


def test_the_engines_documentation_is_in_the_generated_module() -> None:
    for file, of, count in [
        ("engine", "Engine", 29),
        ("feed", "Engine", 5),
        ("feed", "Feed", 4),
        ("feed", "LiveFeed", 3),
        ("feed", "Follow", 3),
        ("live_query", "Engine", 2),
        ("live_query", "LiveQuery", 4),
    ]:
        text = (ROOT / f"ffi/src/{file}.rs").read_text(encoding="utf-8")
        _, _, methods_of = text.partition(f"#[uniffi::export]\nimpl {of} {{\n")
        part, _, _ = methods_of.partition("\n}\n")
        methods = re.findall(r"((?:    /// ?.*\n)+)(?:    #\[.*\n)*    pub fn (\w+)", part)
        assert len(methods) == count
        for docs, name in methods:
            assert words(getattr(getattr(native, of), name).__doc__) == words(docs), name
    for name in (
        *("Engine", "Load", "Export", "Sync", "Feed", "LiveFeed", "Follow"),
        *("Scope", "SchoolInScope"),
    ):
        assert len(words(getattr(native, name).__doc__)) >= 8
    for name in ["Question", "Dataset", "Options", "Page"]:
        assert len(words(getattr(native, name).__doc__)) > 20
    assert "All filters must hold" in words(inspect.getdoc(native.Question.LEARNERS) or "")


def test_apply_says_how_it_fails() -> None:
    for engine in (native.Engine, rollbook.Engine):
        assert "``bad_dataset`` for the first fault, with its line" in words(
            re.sub("`+", "``", engine.apply.__doc__ or "")
        )


def public() -> Iterator[Tuple[str, Any]]:
    for module in (
        rollbook,
        rollbook.follow,
        rollbook.httpx,
        rollbook.live_feed,
        rollbook.observe,
        rollbook.requests,
        rollbook.records,
        rollbook.sync,
    ):
        yield module.__name__, module
        for name in getattr(module, "__all__", vars(module)):
            value = getattr(module, name)
            if inspect.isclass(value) and value.__module__.startswith("rollbook"):
                yield f"{module.__name__}.{name}", value
                for part, method in vars(value).items():
                    if not part.startswith("_") and callable(getattr(value, part)):
                        yield f"{module.__name__}.{name}.{part}", getattr(value, part)


PUBLIC = dict(public())


@pytest.mark.parametrize("name", PUBLIC)
def test_it_is_documented(name: str) -> None:
    if "._" not in name:
        docs = inspect.getdoc(PUBLIC[name]) or ""
        assert len(docs) > 10 and not docs.startswith(f"{name.rpartition('.')[2]}("), name
