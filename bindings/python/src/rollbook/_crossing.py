"""How values cross between Python and the engine.

The generated module :mod:`rollbook._native` does the work. What is here changes
three things of it, all of them in the names by which it knows its own classes:

- It builds this package's records and errors in place of its own.
- What crosses is put together and taken apart here, and copied as a whole:
  generated, every number and text is a call into the library or a slice of its
  memory, and a request takes eight times as long.
- The body of an answer stays bytes: who hands it on need not pay for its decoding.

The form is uniffi's: numbers big-endian, a text as the length of its UTF-8 in four
bytes and the UTF-8, a list as its length in four bytes and the elements, an
optional value as a byte 0, or 1 and the value.
"""

import ctypes
import struct
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, List, Tuple

from rollbook import errors, report
from rollbook._native import rollbook as _generated
from rollbook.instant import seconds
from rollbook.learner_status import LearnerStatus
from rollbook.lookup_list import LookupList
from rollbook.message import Answer, Header, Request, Upgrade

native: Any = _generated
"""The generated module, whose types are not this package's."""

_BYTE = struct.Struct(">B")
_SHORT = struct.Struct(">H")
_INT = struct.Struct(">i")
_LONG = struct.Struct(">Q")
_SIGNED = struct.Struct(">q")
_LONGEST = 2**31 - 1

# Status and headers of an answer are within this: three headers, all of them short.
_HEAD_BYTES = 1024


class _Writer:
    """Gathers what goes to the engine."""

    def __init__(self) -> None:
        self.parts: List[bytes] = []
        self.write = self.parts.append

    def write_u8(self, value: int) -> None:
        self.write(_BYTE.pack(value))

    def write_i32(self, value: int) -> None:
        self.write(_INT.pack(value))

    def write_u64(self, value: int) -> None:
        self.write(_LONG.pack(value))

    def write_i64(self, value: int) -> None:
        self.write(_SIGNED.pack(value))

    def write_text(self, text: bytes) -> None:
        self.write(_INT.pack(len(text)))
        self.write(text)


class _Reader:
    """Takes apart what the engine gave."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read(self, size: int) -> bytes:
        start, self.at = self.at, self.at + size
        return self.data[start : self.at]

    def _number(self, form: struct.Struct) -> int:
        value: int = form.unpack_from(self.data, self.at)[0]
        self.at += form.size
        return value

    def read_u8(self) -> int:
        return self._number(_BYTE)

    def read_u16(self) -> int:
        return self._number(_SHORT)

    def read_i32(self) -> int:
        return self._number(_INT)

    def read_u64(self) -> int:
        return self._number(_LONG)

    def read_text(self) -> bytes:
        return self.read(self.read_i32())


_alloc = native._UniffiLib.ffi_rollbook_ffi_rustbuffer_alloc
_free = native._UniffiLib.ffi_rollbook_ffi_rustbuffer_free


def _lowered(data: bytes) -> Any:
    status = native._UniffiRustCallStatus()
    buffer = _alloc(len(data), ctypes.byref(status))
    ctypes.memmove(buffer.data, data, len(data))
    buffer.len = len(data)
    return buffer


def _lifted(buffer: Any) -> bytes:
    try:
        data: bytes = buffer.data[: buffer.len]
        return data
    finally:
        _free(buffer, ctypes.byref(native._UniffiRustCallStatus()))


class _Text(native._UniffiFfiConverterString):  # type: ignore[misc]
    """Texts. What cannot be encoded is refused before anything has crossed, or the
    engine would be held by a call that was never made."""

    @staticmethod
    def check_lower(text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a text must be str, not {type(text).__name__}")
        text.encode()

    @staticmethod
    def read(reader: _Reader) -> str:
        return reader.read_text().decode()

    @staticmethod
    def write(text: str, writer: _Writer) -> None:
        writer.write_text(text.encode())

    @staticmethod
    def lift(buffer: Any) -> str:
        return _lifted(buffer).decode()

    @staticmethod
    def lower(text: str) -> Any:
        return _lowered(text.encode())


def _check_length(data: bytes) -> None:
    if len(data) > _LONGEST:
        raise ValueError(f"{len(data)} bytes are too many at once: give a file, or pieces")


def _lower(converter: Any, value: Any) -> Any:
    writer = _Writer()
    converter.write(value, writer)
    return _lowered(b"".join(writer.parts))


def _lift(converter: Any, buffer: Any) -> Any:
    return converter.read(_Reader(_lifted(buffer)))


def encoded(request: Request) -> bytes:
    """A request as it crosses."""
    target, method, headers, body, now = request
    pairs = list(headers.items() if isinstance(headers, Mapping) else headers)
    writer = _Writer()
    write, length = writer.write, _INT.pack
    for text in (target, method):
        utf8 = text.encode()
        write(length(len(utf8)))
        write(utf8)
    write(length(len(pairs)))
    for pair in pairs:
        for text in pair:
            utf8 = text.encode()
            write(length(len(utf8)))
            write(utf8)
    utf8 = _utf8(body)
    _check_length(utf8)
    writer.write_text(utf8)
    instant = seconds(now)
    if instant is None:
        write(b"\0")
    else:
        write(b"\1")
        writer.write_i64(_in_range(instant))
    return b"".join(writer.parts)


def _in_range(instant: int) -> int:
    native._UniffiFfiConverterInt64.check_lower(instant)
    return instant


def _utf8(body: Any) -> bytes:
    """A body as text. One that is not UTF-8 is no JSON object, and U+FFFD is none
    either: both are refused alike."""
    if isinstance(body, str):
        return body.encode()
    try:
        body.decode()
    except UnicodeDecodeError:
        return "\ufffd".encode()
    return bytes(body)


def _read_headers(reader: _Reader) -> Tuple[Header, ...]:
    data, at, number = reader.data, reader.at, _INT.unpack_from
    (count,) = number(data, at)
    at += 4
    texts = []
    for _ in range(2 * count):
        start = at + 4
        at = start + number(data, at)[0]
        texts.append(data[start:at].decode())
    reader.at = at
    return tuple(zip(texts[::2], texts[1::2]))


def _read_answer(reader: _Reader) -> Answer:
    return Answer(reader.read_u16(), _read_headers(reader), reader.read_text())


def _lift_answer(buffer: Any) -> Answer:
    """An answer ends with its body, which is copied by itself and once."""
    try:
        reader = _Reader(buffer.data[: min(buffer.len, _HEAD_BYTES)])
        status, headers = reader.read_u16(), _read_headers(reader)
        return Answer(status, headers, buffer.data[reader.at + _INT.size : buffer.len])
    finally:
        _free(buffer, ctypes.byref(native._UniffiRustCallStatus()))


def _read_upgrade(reader: _Reader) -> Upgrade:
    return Upgrade(_Text.read(reader), _read_headers(reader))


# A structure is made of zeros, which is what these two spell out.
native._UniffiRustCallStatus.default = staticmethod(native._UniffiRustCallStatus)
native._UniffiRustBuffer.default = staticmethod(native._UniffiRustBuffer)
native._UniffiFfiConverterString = _Text
native._UniffiFfiConverterBytes.check_lower = staticmethod(_check_length)
native._UniffiFfiConverterBytes.write = staticmethod(lambda data, writer: writer.write_text(data))
native._UniffiConverterRustBuffer.lower = classmethod(_lower)
native._UniffiConverterRustBuffer.lift = classmethod(_lift)
native._UniffiFfiConverterTypeRequest.check_lower = staticmethod(lambda request: None)
native._UniffiFfiConverterTypeRequest.write = staticmethod(lambda data, writer: writer.write(data))
native._UniffiFfiConverterTypeAnswer.read = staticmethod(_read_answer)
native._UniffiFfiConverterTypeAnswer.lift = staticmethod(_lift_answer)
native._UniffiFfiConverterTypeUpgrade.read = staticmethod(_read_upgrade)
native.LearnerStatus = LearnerStatus
native.LookupList = LookupList
for _record in (
    report.Counts,
    report.Fault,
    report.Progress,
    report.Stats,
    report.Summary,
    report.Verification,
):
    setattr(native, _record.__name__, _record)
native.RollbookError = SimpleNamespace(
    **{
        error.__name__[: -len("Error")]: error
        for error in errors.RollbookError.__subclasses__()
    }
)
