# SPDX-License-Identifier: Apache-2.0
"""Networks and learned functions of libcarom through ctypes: what pytorch.py needs of carom/network.h and carom/learned.h."""
import ctypes as c

import numpy as np

KINDS = {"dense": 0, "gru": 1, "lstm": 2}
ACTIVATIONS = ["identity", "tanh", "elu", "relu", "softplus", "sigmoid", "silu", "sine"]
LOSSES = {"squares": 0, "absolute": 1, "huber": 2}


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("text", c.c_char * 512)]


class Layer(c.Structure):
    _fields_ = [("size", c.c_size_t), ("kind", c.c_int), ("width", c.c_int), ("activation", c.c_int),
                ("both_directions", c.c_bool)]


class Data(c.Structure):
    _fields_ = [("size", c.c_size_t), ("length", c.c_void_p), ("nsequence", c.c_int), ("input", c.c_void_p),
                ("target", c.c_void_p), ("weight", c.c_void_p), ("first", c.c_void_p), ("ends", c.c_bool)]


class Options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("loss", c.c_int), ("delta", c.c_double), ("normalise", c.c_bool),
                ("held_out", c.c_double), ("held", c.c_void_p), ("epochs", c.c_int), ("batch", c.c_int),
                ("rate", c.c_double), ("final_rate", c.c_double), ("schedule", c.c_int), ("warmup", c.c_int),
                ("b1", c.c_double), ("b2", c.c_double), ("eps", c.c_double), ("weight_decay", c.c_double),
                ("clip", c.c_double), ("l2", c.c_void_p), ("group", c.c_void_p), ("lasso", c.c_double),
                ("group_lasso", c.c_double), ("lasso_factor", c.c_void_p), ("group_factor", c.c_void_p),
                ("keep_last", c.c_bool), ("patience", c.c_int),
                ("seed", c.c_uint64), ("threads", c.c_int), ("go_on", c.c_bool), ("save", c.c_char_p),
                ("save_every", c.c_int), ("stop", c.c_void_p), ("progress", c.c_void_p), ("context", c.c_void_p)]


class End(c.Structure):
    _fields_ = [("size", c.c_size_t), ("loss", c.c_double), ("held_loss", c.c_double), ("start_loss", c.c_double),
                ("epochs", c.c_int), ("steps", c.c_int), ("best_epoch", c.c_int), ("nonzero", c.c_int),
                ("reason", c.c_char_p)]


def pointer(x):
    """The address of an array, or NULL."""
    return None if x is None else c.c_void_p(x.ctypes.data)


class Library:
    """libcarom; a status other than 0 becomes an exception."""

    def __init__(self, path):
        self.lib = c.CDLL(path)
        self.lib.cr_learned_weights.restype = c.POINTER(c.c_double)
        self.lib.cr_learned_network.restype = c.c_void_p

    def call(self, name, *arguments):
        error = Error()
        if getattr(self.lib, name)(*arguments, c.byref(error)) != 0:
            raise RuntimeError(error.text.decode())

    def create(self, ninput, layers):
        """Layers: (kind, width, activation, both directions)."""
        table = (Layer * len(layers))(*[Layer(c.sizeof(Layer), KINDS[kind], width, ACTIVATIONS.index(activation), both)
                                        for kind, width, activation, both in layers])
        network, learned = c.c_void_p(), c.c_void_p()
        self.call("cr_network_create_for_sequences", c.byref(network), ninput, table, len(layers))
        self.call("cr_learned_create", c.byref(learned), network, c.c_uint64(1))
        self.lib.cr_network_destroy(network)
        return Learned(self, learned)

    def open_onnx(self, path):
        learned = c.c_void_p()
        self.call("cr_learned_open_onnx", c.byref(learned), str(path).encode())
        return Learned(self, learned)


class Learned:
    """A cr_learned."""

    def __init__(self, library, handle):
        self.library, self.handle, self.lib = library, handle, library.lib
        self.network = c.c_void_p(self.lib.cr_learned_network(handle))
        self.nin, self.nout = self.lib.cr_network_ninput(self.network), self.lib.cr_network_noutput(self.network)
        self.nweight = self.lib.cr_network_nweight(self.network)

    @property
    def weights(self):
        return np.ctypeslib.as_array(self.lib.cr_learned_weights(self.handle), (self.nweight,))

    def predict(self, x, length=None):
        x = np.ascontiguousarray(x, dtype=np.float64)
        y = np.zeros((len(x), self.nout))
        n = len(x) if length is None else len(length)
        self.library.call("cr_learned_predict", self.handle, pointer(length), n, pointer(x), pointer(y))
        return y

    def gradient(self, x, y_bar, length):
        """Outputs, and the cotangents of weights and inputs."""
        s = c.c_void_p()
        x, y_bar = np.ascontiguousarray(x), np.ascontiguousarray(y_bar)
        y, w_bar, x_bar = np.zeros_like(y_bar), np.zeros(self.nweight), np.zeros_like(x)
        w = np.array(self.weights)
        call = self.library.call
        call("cr_sequences_create", c.byref(s), self.network)
        call("cr_sequences_set_lengths", s, pointer(length), len(length))
        call("cr_sequences_forward", s, pointer(w), pointer(x), None, pointer(y), None)
        call("cr_sequences_vjp", s, pointer(w), pointer(y_bar), None, pointer(w_bar), pointer(x_bar), None)
        self.lib.cr_sequences_destroy(s)
        return y, w_bar, x_bar

    def normalise(self, *numbers):
        self.library.call("cr_learned_set_normalisation", self.handle, *[pointer(x) for x in numbers])

    def predict_ends(self, x, first, length):
        x = np.ascontiguousarray(x, dtype=np.float64)
        y = np.zeros((len(length), self.nout))
        self.library.call("cr_learned_predict_ends", self.handle, pointer(first), pointer(length), len(length),
                          pointer(x), pointer(y))
        return y

    def train(self, x, y, length=None, weight=None, first=None, ends=False, **options):
        o, end = Options(), End()
        o.size, end.size = c.sizeof(Options), c.sizeof(End)
        for name, value in options.items():
            value = pointer(value) if isinstance(value, np.ndarray) else value
            setattr(o, name, LOSSES[value] if name == "loss" else value)
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        data = Data(c.sizeof(Data), pointer(length), len(x) if length is None else len(length), pointer(x), pointer(y),
                    pointer(weight), pointer(first), ends)
        self.library.call("cr_learned_train", self.handle, c.byref(data), c.byref(o), c.byref(end))
        return end

    def save_onnx(self, path, single):
        self.library.call("cr_learned_save_onnx", self.handle, str(path).encode(), c.c_bool(single))
