# SPDX-License-Identifier: Apache-2.0
"""The C library, and how its statuses become exceptions."""
import os


def _load():
    """The extension module. It finds libmujoco in the package mujoco beside it, or wherever that package is."""
    try:
        from carom import _carom
    except ImportError as error:
        import ctypes
        import glob
        import importlib.util
        spec = importlib.util.find_spec("mujoco")
        folders = list(spec.submodule_search_locations or ()) if spec else []
        files = [file for folder in folders for file in glob.glob(os.path.join(folder, "libmujoco.so*"))]
        if not files:
            raise ImportError(f"carom needs MuJoCo's library: pip install mujoco-core ({error})") from error
        ctypes.CDLL(files[0], mode=ctypes.RTLD_LOCAL)
        from carom import _carom
    return _carom


_module = _load()
ffi, lib = _module.ffi, _module.lib
NULL = ffi.NULL


def text(pointer):
    """A C text as str; None for NULL."""
    return None if pointer == NULL else ffi.string(pointer).decode("utf-8", "replace")


def words(kind):
    """The words of a C enumeration, value after value."""
    found = []
    while (word := text(lib.cr_enum_word(kind.encode(), len(found)))) is not None:
        found.append(word)
    return found


def word(kind, value):
    """The word of a value of a C enumeration."""
    return text(lib.cr_enum_word(kind.encode(), value))


def choice(kind, name):
    """The value of a word of a C enumeration; the error lists the words."""
    value = lib.cr_enum_value(kind.encode(), str(name).encode())
    if value < 0 and words(kind) and name not in words(kind):
        raise ArgError(f"{kind}: '{name}' is none of {', '.join(words(kind))}")
    return value


class CaromError(Exception):
    """A function of Carom failed. The text is Carom's sentence; `status` the word of its status."""

    status = "error"


# what else an error of a status is to Python
_ALSO = {"arg": ValueError, "memory": MemoryError, "file": OSError, "format": ValueError, "model": ValueError,
         "unsupported": NotImplementedError, "name": LookupError, "interrupted": KeyboardInterrupt}


def _error_class(status):
    short = status.removeprefix("ERR_").lower()
    doc = text(lib.cr_status_text(lib.cr_enum_value(b"status", status.encode())))
    bases = (CaromError, _ALSO[short]) if short in _ALSO else (CaromError,)
    return type(f"{short.title()}Error", bases, {"status": short, "__doc__": f"{doc[:1].upper()}{doc[1:]}.",
                                                 "__module__": "carom"})


ERRORS = {lib.cr_enum_value(b"status", status.encode()): _error_class(status) for status in words("status")[1:]}
ArgError = ERRORS[lib.CR_ERR_ARG]


def fail(status, sentence):
    """Raises the exception of a status."""
    raise ERRORS.get(status, CaromError)(sentence or text(lib.cr_status_text(status)))


def new_error():
    return ffi.new("cr_error*")


def check(status, error):
    """Raises what a cr_error says, unless the status is CR_OK."""
    if status != lib.CR_OK:
        fail(status, text(error.text))


def struct(kind, /, **members):
    """A struct of options or results with its size set; NULL members may be left out."""
    value = ffi.new(f"{kind}*")
    value.size = ffi.sizeof(kind)
    for key, member in members.items():
        setattr(value, key, member)
    return value


def owned(pointer, destroy, *needed):
    """A pointer that is destroyed with its last user, and what has to outlive it."""
    def end(it, _needed=needed):
        destroy(it)
    return ffi.gc(pointer, end)


def texts(names):
    """An array of C texts, with what keeps them alive."""
    kept = [ffi.new("char[]", name.encode()) for name in names]
    return ffi.new("const char*[]", kept) if kept else NULL, kept


def call_text(function, *arguments, size=1024):
    """The text that a function writes into a buffer; it gets the buffer and its size after the arguments."""
    buffer = ffi.new("char[]", size)
    function(*arguments, buffer, size)
    return text(buffer)


def doc_of(*names):
    """The contracts of C functions, for docstrings; "" where they were not built in."""
    try:
        from carom._contracts import CONTRACTS
    except ImportError:
        return ""
    return "\n\n".join(f"C: {name}\n{CONTRACTS[name]}" for name in names if CONTRACTS.get(name))


def with_contract(*names):
    """Adds the contracts of C functions to a docstring."""
    def decorate(function):
        contract = doc_of(*names)
        if contract:
            function.__doc__ = f"{function.__doc__ or ''}\n\n{contract}"
        return function
    return decorate
