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
from ctypes import string_at
from struct import Struct, error as StructError
from typing import Any, Callable, List, Optional, Tuple, Union

from rollbook import _crossing
from rollbook.instant import Instant, seconds
from rollbook.message import Answer, Headers

REQUEST, REQUESTS, ASK, FIND, PAGE = (bytes([call]) for call in range(5))

_short = Struct(">i").pack
_long = Struct(">Q").pack
_signed = Struct(">q").pack
_EMPTY = _short(0)
NONE = b"\0"
"""An optional value that is not given."""
_LONGEST = 2**31 - 1
# `Answer(…)` without its defaults, which are given here always.
_answer = tuple.__new__

# `Output`: what was lent, its capacity, how many bytes there are, the status, how many
# of the bytes are the text of `Allow`, what became of the call; then room for the bytes.
_HEAD = Struct("=QQQHHI")
_START = _HEAD.size
_ROOM = 4096
_SIZE = _START + _ROOM
# The version of this form, and its size: `rollbook_form`.
_FORM = 1 << 32 | _SIZE
_ONE_OF_MANY = Struct(">HHQ")
# What was lent, whose address comes first, as bytes that are copied by slices.
_Lent = ctypes.POINTER(ctypes.c_char)

_library = _crossing.native._UniffiLib
_library.rollbook_form.restype = ctypes.c_uint64
if _library.rollbook_form() != _FORM:
    raise ImportError("rollbook and its library are not of one build: install the package again")
_call = _library.rollbook_call
_call.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
_call.restype = None
_give_back = _library.rollbook_give_back
_give_back.argtypes = [ctypes.c_void_p]
_give_back.restype = None

_library.rollbook_listeners.restype = ctypes.c_uint64
listeners: Callable[[], int] = _library.rollbook_listeners
"""Returns the number of listeners that the library may still call or has not finished
releasing."""

# Memory that no call is using, and that nothing is lent in.
_idle: List[Tuple[Any, int]] = []


def _memory() -> Tuple[Any, int]:
    words = (ctypes.c_uint64 * (_SIZE // 8))()
    memory = (ctypes.c_char * _SIZE).from_buffer(words)
    return memory, ctypes.addressof(memory)


def answered(engine: int, data: bytes) -> Answer:
    """Calls the engine for one answer."""
    try:
        output = _idle.pop()
    except IndexError:
        output = _memory()
    memory, address = output
    # Not known yet: what a signal raises comes as soon as the call has returned.
    capacity = 1
    try:
        _call(engine, data, len(data), address)
        lent, capacity, length, status, allow, outcome = _HEAD.unpack_from(memory)
        reply = string_at(lent, length) if capacity else memory[_START : _START + length]
    finally:
        if capacity:
            _give_back(address)
    _idle.append(output)
    if outcome:
        raise failure(outcome, reply)
    if allow:
        return Answer(status, reply[:-allow], reply[-allow:].decode())
    return _answer(Answer, (status, reply, None))


def all_answered(engine: int, requests: List[bytes]) -> List[Answer]:
    """Answers several requests in one call."""
    data = REQUESTS + _short(len(requests)) + b"".join(requests)
    try:
        output = _idle.pop()
    except IndexError:
        output = _memory()
    memory, address = output
    try:
        _call(engine, data, len(data), address)
        _, capacity, length, _, _, outcome = _HEAD.unpack_from(memory)
        reply: Any
        reply, at = (_Lent.from_address(address), 0) if capacity else (memory, _START)
        if outcome:
            raise failure(outcome, reply[at : at + length])
        answers = []
        for _ in requests:
            head = at + _ONE_OF_MANY.size
            status, allow, length = _ONE_OF_MANY.unpack(reply[at:head])
            end = head + length
            at = end + allow
            methods = reply[end:at].decode() if allow else None
            answers.append(_answer(Answer, (status, reply[head:end], methods)))
    finally:
        _give_back(address)
    _idle.append(output)
    return answers


def failure(outcome: int, reply: bytes) -> Exception:
    """What a call that gave no answer raises."""
    if outcome != 1:
        return _crossing.native.InternalError(reply.decode())  # type: ignore[no-any-return]
    case = int.from_bytes(reply[:4], "big") - 1
    return _crossing.error(_crossing.CASES[case], reply[8:].decode())


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
    # What was written is counted: other threads may change what was given meanwhile.
    written = [number(value) for value in values]
    return _short(len(written)) + b"".join(written)


def optional(write: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """As ``write``, of a value that may be None."""
    return lambda value: NONE if value is None else b"\1" + write(value)


def instant(now: Optional[Instant]) -> bytes:
    if now is None:
        return NONE
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
        headers = headers.items()
    count = len(parts)
    parts.append(_EMPTY)
    for name, value in headers:
        utf8 = name.encode()
        parts += (_short(len(utf8)), utf8)
        utf8 = value.encode()
        parts += (_short(len(utf8)), utf8)
    # What was written is counted, as in `numbers`: four parts a header.
    parts[count] = _short((len(parts) - count) // 4)
    if body == b"":
        parts.append(_EMPTY)
    else:
        utf8 = _utf8(body)
        parts += (_short(len(utf8)), utf8)
    parts.append(NONE if now is None else instant(now))
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
