# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays over the memory of models and data, whose rows can be named."""
import numpy as np

from carom._c import ffi, text


class _Memory:
    """Memory of C as NumPy's array interface; keeps the owner alive as the base of the arrays made of it."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, pointer, shape, code, writable, owner):
        address = int(ffi.cast("uintptr_t", pointer))
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": code, "data": (address, not writable)}
        self.owner = owner


class FieldArray(np.ndarray):
    """A field: an array over the numbers of a model or of data. array["torso"] are the numbers of a named object,
    array["torso", 0] the first of them. What is computed from it is a plain array."""

    def __array_finalize__(self, source):
        self._place = None

    def __array_wrap__(self, array, context=None, return_scalar=False):
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def _split(self, key):
        """The numbers of a name, and the rest of the key."""
        name, rest = (key, ()) if isinstance(key, str) else (key[0], key[1:])
        if self._place is None:
            raise TypeError("only a whole field has names; take the name first, then a slice")
        first, count = self._place(name)
        flat = self.view(np.ndarray).reshape(-1)
        width = 1 if self.ndim == 1 else self.shape[1]
        numbers = flat[first:first + count]
        if count > width and width > 1:
            numbers = numbers.reshape(-1, width)
        if count == 1 and not rest:
            return flat, first
        return numbers, rest if rest else ...

    def __getitem__(self, key):
        if isinstance(key, str) or (isinstance(key, tuple) and key and isinstance(key[0], str)):
            array, rest = self._split(key)
            return array[rest]
        found = super().__getitem__(key)
        return found

    def __setitem__(self, key, value):
        if isinstance(key, str) or (isinstance(key, tuple) and key and isinstance(key[0], str)):
            array, rest = self._split(key)
            array[rest] = value
        else:
            super().__setitem__(key, value)

    def __reduce__(self):
        return np.asarray(self).copy().__reduce__()


def view(pointer, rows, width, owner, place=None, writable=False, code="<f8"):
    """A field of `rows` rows: one number a row is a vector, one row with several numbers too."""
    shape = (rows,) if width == 1 else (rows, width)
    if rows * width == 0:
        array = np.zeros(shape, code).view(FieldArray)
    else:
        array = np.asarray(_Memory(pointer, shape, code, writable, owner)).view(FieldArray)
    array._place = place
    return array


def real(values, shape=None, name="values"):
    """Numbers as a C-contiguous array of doubles, with a shape if one is given."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if shape is not None and array.shape != tuple(shape):
        if array.size != int(np.prod(shape)):
            raise ValueError(f"{name} has shape {array.shape}, not {tuple(shape)}")
        array = array.reshape(shape)
    return array


def pointer(array, code="double*"):
    """The numbers of an array for C; NULL for None."""
    return ffi.NULL if array is None else ffi.cast(code, array.ctypes.data)


def names(array_of_texts, n):
    """Texts of C as a list."""
    return [text(array_of_texts[i]) for i in range(n)]
