"""The errors of the engine: each has a class, and each can be caused."""

import re
from pathlib import Path
from typing import Dict, Tuple

import pytest
from material import ROOT, SAMPLE_SCHOOL

import rollbook
from rollbook import (
    AlreadyOpenError,
    BadArgumentError,
    CorruptError,
    Engine,
    ExistsError,
    MissingError,
    NewerFormatError,
    NotAStoreError,
    ReaderEndedError,
    RollbookError,
    UnsupportedError,
)
from rollbook import _direct
from rollbook._native_calls import call_native, native


def documented() -> Dict[str, Tuple[str, str]]:
    """Returns each case of the engine's errors with its code and its documentation."""
    text = (ROOT / "ffi/src/error.rs").read_text()
    cases = re.findall(r"((?:    /// .*\n)+)(?:    #.*\n)?    (\w+)\(String\),", text)
    return {
        case: (docs.split("`")[1], " ".join(docs.split(":", 1)[1].replace("///", "").split()))
        for docs, case in cases
    }


def test_there_is_an_error_for_every_case() -> None:
    cases = documented()
    errors = {error.__name__: error for error in RollbookError.__subclasses__()}
    assert len(cases) == 22
    assert set(errors) == {case + "Error" for case in cases}
    generated = {name for name in vars(native.RollbookError) if name[0].isupper()}
    assert generated == set(cases)
    for case, (code, docs) in cases.items():
        error = errors[case + "Error"]
        assert error.code == code
        assert getattr(rollbook, error.__name__) is error
        assert error.__name__ in rollbook.__all__
        if code not in ("listener_failed", "closed"):
            assert " ".join((error.__doc__ or "").split()).lower() == docs.lower()


@pytest.mark.parametrize("case", documented())
def test_every_case_comes_over(case: str) -> None:
    """Each error is converted both from the bytes of a direct call, which are its number and its
    message, and from the exception of the generated module."""
    number = list(documented()).index(case) + 1
    message = "Zoë".encode()
    data = number.to_bytes(4, "big") + len(message).to_bytes(4, "big") + message

    def fail() -> None:
        raise getattr(native.RollbookError, case)("Zoë")

    with pytest.raises(RollbookError) as raised:
        call_native(fail)
    for error in (_direct.failure(1, data), raised.value):
        assert type(error).__name__ == case + "Error"
        assert isinstance(error, RollbookError)
        assert (str(error), error.code) == ("Zoë", documented()[case][0])


def test_already_open(own: Engine, tmp_path: Path) -> None:
    with pytest.raises(AlreadyOpenError, match="close the engine that has it open"):
        Engine.open(tmp_path / "own.redb")


def test_not_a_store(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("text" * 1000)
    with pytest.raises(NotAStoreError, match="not a Rollbook store"):
        Engine.open(path)
    assert path.read_text() == "text" * 1000


def test_missing(own: Engine, tmp_path: Path) -> None:
    path = tmp_path / "own.redb"
    path.rename(tmp_path / "aside.redb")
    with pytest.raises(MissingError, match="put it back and try again"):
        own.apply(SAMPLE_SCHOOL)
    (tmp_path / "aside.redb").rename(path)
    own.apply(SAMPLE_SCHOOL)


def test_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "a.redb"
    with Engine.open(path) as engine:
        engine.apply(SAMPLE_SCHOOL)
    store = bytearray(path.read_bytes())
    store[4096:] = bytes(len(store) - 4096)
    path.write_bytes(store)
    with pytest.raises(CorruptError, match="restore a backup"):
        Engine.open(path)
    assert path.read_bytes() == store


def test_exists(own: Engine, tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.touch()
    with pytest.raises(ExistsError, match="choose a path that is free"):
        own.backup(path, credentials=True)


def test_reader_ended(own: Engine) -> None:
    with own.export() as export:
        own.compact()
        with pytest.raises(ReaderEndedError, match="start it again"):
            list(export)
    assert "".join(own.export())


def test_unsupported() -> None:
    with pytest.raises(UnsupportedError, match="give at least 1"):
        Engine.memory(page_limit=0)
    with Engine.memory() as engine:
        with pytest.raises(UnsupportedError, match="keep this one open"):
            engine.suspend()


@pytest.mark.parametrize("target", ["", "/api/v2/settings/clients", "/api/v1/nothing/1"])
def test_bad_argument(school: Engine, target: str) -> None:
    with pytest.raises(BadArgumentError):
        school.upgrade(target)


def test_newer_format(tmp_path: Path) -> None:
    path = tmp_path / "a.redb"
    with Engine.open(path) as engine:
        engine.apply(SAMPLE_SCHOOL)
    # The names of the store's metadata are located before their values: a key of 16 bytes, then
    # the format.
    place = re.compile(rb"(cursor-keyformat[a-z]*totals.{16})\x01\0\0\0", re.DOTALL)
    newer, places = place.subn(lambda found: found[1] + b"\x02\0\0\0", path.read_bytes())
    assert places == 1
    path.write_bytes(newer)
    with pytest.raises(NewerFormatError, match="has format 2, .* up to 1: update the app"):
        Engine.open(path)
