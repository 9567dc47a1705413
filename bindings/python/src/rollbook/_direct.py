"""The short way to the engine, for what is asked thousands of times a second.

One call into the library, by :mod:`ctypes`: one piece of bytes in, and one out. The
generated module makes, fills and gives back several buffers for a question, each by
calls of its own.

Arguments are in uniffi's form: numbers big-endian, a text as the length of its UTF-8
in four bytes and the UTF-8, a list as its length in four bytes and the elements, an
optional value as a byte 0, or 1 and the value. ``ffi/src/call.rs`` says which calls
there are, ``ffi/src/direct.rs`` what comes back.
"""

import ctypes
import operator
from collections.abc import Mapping
from pathlib import Path
from struct import Struct, error as StructError
from typing import Any, Callable, Collection, List, Optional, Tuple, Union

from rollbook import _crossing
from rollbook.instant import Instant, seconds
from rollbook.message import Answer, Header, Headers

REQUEST, REQUESTS, ASK, FIND, PAGE = (bytes([call]) for call in range(5))

_short = Struct(">i").pack
_long = Struct(">Q").pack
_signed = Struct(">q").pack
_NO_BODY = _short(0)
_LONGEST = 2**31 - 1

# `Output`: what was lent, its capacity, how many bytes there are, the status, how many
# of the bytes are the text of `Allow`, what became of the call; then room for the bytes.
_HEAD = Struct("=QQQHHI")
_ROOM = 4096
_ONE_OF_MANY = Struct(">HHQ")

(_file,) = Path(_crossing.native.__file__).parent.glob("*rollbook_ffi.*")
_library = ctypes.CDLL(str(_file))
_call = _library.rollbook_call
_call.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
_call.restype = None
_give_back = _library.rollbook_give_back
_give_back.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_give_back.restype = None

# Memory that no call is using.
_idle: List[Tuple[Any, int]] = []


def replied(engine: int, data: bytes) -> Tuple[int, int, bytes]:
    """Calls the engine: status, how many bytes at the end are the text of ``Allow``,
    and the bytes."""
    try:
        output = _idle.pop()
    except IndexError:
        memory = (ctypes.c_char * (_HEAD.size + _ROOM))()
        output = memory, ctypes.addressof(memory)
    memory, address = output
    _call(engine, data, len(data), address)
    lent, capacity, length, status, allow, outcome = _HEAD.unpack_from(memory)
    if capacity:
        try:
            reply: bytes = ctypes.string_at(lent, length)
        finally:
            _give_back(lent, capacity)
    else:
        reply = memory[_HEAD.size : _HEAD.size + length]
    _idle.append(output)
    if outcome:
        raise failure(outcome, reply)
    return status, allow, reply


def failure(outcome: int, reply: bytes) -> Exception:
    """What a call that gave no answer raises."""
    if outcome != 1:
        return _crossing.native.InternalError(reply.decode())  # type: ignore[no-any-return]
    case = int.from_bytes(reply[:4], "big") - 1
    return _crossing.error(_crossing.CASES[case], reply[8:].decode())


def answered(engine: int, data: bytes) -> Answer:
    """Calls the engine for one answer."""
    status, allow, reply = replied(engine, data)
    return _answer(status, allow, reply)


def all_answered(engine: int, requests: List[bytes]) -> List[Answer]:
    """Answers several requests in one call."""
    _, _, reply = replied(engine, REQUESTS + _short(len(requests)) + b"".join(requests))
    answers, at = [], 0
    for _ in requests:
        status, allow, length = _ONE_OF_MANY.unpack_from(reply, at)
        start = at + _ONE_OF_MANY.size
        at = start + length + allow
        answers.append(_answer(status, allow, reply[start:at]))
    return answers


_CONTENT_TYPE = ("Content-Type", "application/json; charset=utf-8")


def _answer(status: int, allow: int, reply: bytes) -> Answer:
    if allow:
        return answer(status, reply[-allow:].decode(), reply[:-allow])
    return Answer(status, (_CONTENT_TYPE, ("Content-Length", str(len(reply)))), reply)


def answer(status: int, allow: Optional[str], body: bytes) -> Answer:
    """An answer with its headers, which do not cross."""
    length = ("Content-Length", str(len(body)))
    if allow is None:
        return Answer(status, (_CONTENT_TYPE, length), body)
    return Answer(status, (_CONTENT_TYPE, length, ("Allow", allow)), body)


def number(value: Any) -> bytes:
    """A number from 0, in eight bytes."""
    try:
        return _long(value)
    except StructError:
        raise ValueError(f"{operator.index(value)} is not from 0 to 2**64 - 1") from None


def text(value: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"a text must be str, not {type(value).__name__}")
    utf8 = value.encode()
    return _short(len(utf8)) + utf8


def flag(value: Any) -> bytes:
    return b"\1" if value else b"\0"


def numbers(values: Any) -> bytes:
    return _short(len(values)) + b"".join(map(number, values))


def optional(write: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """As ``write``, of a value that may be None."""
    return lambda value: b"\0" if value is None else b"\1" + write(value)


def instant(now: Optional[Instant]) -> bytes:
    if now is None:
        return b"\0"
    at: Any = seconds(now)
    try:
        return b"\1" + _signed(at)
    except StructError:
        raise ValueError(f"{operator.index(at)} is no instant: it has 64 bits") from None


def case(which: int) -> bytes:
    """The number of an enum's case, counted from 1."""
    return _short(which)


def request(
    target: str,
    method: str,
    headers: Headers,
    body: Union[str, bytes],
    now: Optional[Instant],
) -> bytes:
    """A request."""
    utf8 = target.encode()
    parts = [_short(len(utf8)), utf8]
    utf8 = method.encode()
    parts += (_short(len(utf8)), utf8)
    if type(headers) is dict or isinstance(headers, Mapping):
        pairs: Collection[Header] = headers.items()
    else:
        pairs = list(headers)
    parts.append(_short(len(pairs)))
    for name, value in pairs:
        utf8 = name.encode()
        parts += (_short(len(utf8)), utf8)
        utf8 = value.encode()
        parts += (_short(len(utf8)), utf8)
    if body == b"":
        parts.append(_NO_BODY)
    else:
        utf8 = _utf8(body)
        parts += (_short(len(utf8)), utf8)
    parts.append(b"\0" if now is None else instant(now))
    return b"".join(parts)


def _utf8(body: Any) -> bytes:
    """A body as text. One that is not UTF-8 is no JSON object, and U+FFFD is none
    either: both are refused alike."""
    if not isinstance(body, str):
        if len(body) > _LONGEST:
            raise ValueError(f"a body of {len(body)} bytes is too long: the engine takes 65,536")
        try:
            body.decode()
        except UnicodeDecodeError:
            return "\ufffd".encode()
        return bytes(body)
    return body.encode()
