# SPDX-License-Identifier: Apache-2.0
"""Networks of Carom against PyTorch, and ONNX files against onnx, onnxruntime and PyTorch's exporter.
Usage: pytorch.py --lib libcarom.so --out FOLDER"""
import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx.reference import ReferenceEvaluator

import learned

FUNCTIONS = {"identity": torch.nn.Identity, "tanh": torch.nn.Tanh, "elu": torch.nn.ELU, "relu": torch.nn.ReLU,
             "softplus": torch.nn.Softplus, "sigmoid": torch.nn.Sigmoid, "silu": torch.nn.SiLU}
worst = {}
failures = []


class Sine(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x)


def compare(what, ours, theirs, tolerance):
    """The largest difference over the largest number; remembers it under `what`."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    scale = max(np.abs(theirs).max(), 1e-300)
    error = np.abs(ours - theirs).max() / scale if ours.shape == theirs.shape else np.inf
    worst[what] = max(worst.get(what, 0), error)
    if not error <= tolerance:
        failures.append(f"{what}: {error:.2g}")


class Net(torch.nn.Module):
    """Layers one behind the other, over [time][sequence][number] or rows."""

    def __init__(self, nin, layers):
        super().__init__()
        parts, self.recurrent = [], []
        for kind, width, activation, both in layers:
            if kind == "dense":
                function = Sine() if activation == "sine" else FUNCTIONS[activation]()
                parts.append(torch.nn.Sequential(torch.nn.Linear(nin, width), function))
            else:
                make = torch.nn.GRU if kind == "gru" else torch.nn.LSTM
                parts.append(make(nin, width, bidirectional=both))
            self.recurrent.append(kind != "dense")
            nin = width * (2 if both else 1)
        self.parts = torch.nn.ModuleList(parts)

    def forward(self, x):
        for part, recurrent in zip(self.parts, self.recurrent):
            x = part(x)[0] if recurrent else part(x)
        return x

    def flat(self, gradient=False):
        return np.concatenate([(p.grad if gradient else p).detach().numpy().ravel() for p in self.parameters()])


def networks():
    for activation in learned.ACTIVATIONS:
        yield [("dense", 7, activation, False), ("dense", 3, activation, False)]
    for kind in ("gru", "lstm"):
        for both in (False, True):
            yield [(kind, 6, "identity", both)]
            yield [(kind, 5, "identity", both), ("dense", 4, "silu", False), (kind, 3, "identity", not both),
                   ("dense", 2, "identity", False)]


def rows_of(x, lengths):
    """[time][sequence][number] as rows, a sequence after the other."""
    return np.concatenate([x[:n, i] for i, n in enumerate(lengths)])


def check_layers(library, _):
    """Outputs and gradients, of sequences of several lengths."""
    lengths = np.array([9, 4, 1, 7], dtype=np.int32)
    for number, layers in enumerate(networks()):
        torch.manual_seed(number)
        net, ours = Net(4, layers).double(), library.create(4, layers)
        ours.weights[:] = net.flat()
        x = torch.randn(9, 4, 4, dtype=torch.float64)
        y_bar = torch.randn(9, 4, ours.nout, dtype=torch.float64)
        y, x_bar = np.zeros((lengths.sum(), ours.nout)), np.zeros((lengths.sum(), 4))
        begin = 0
        for i, n in enumerate(lengths):  # each sequence alone, so that none is padded
            part = x[:n, i:i + 1].clone().requires_grad_(True)
            out = net(part)
            out.backward(y_bar[:n, i:i + 1])
            y[begin:begin + n] = out[:, 0].detach().numpy()
            x_bar[begin:begin + n] = part.grad[:, 0].numpy()
            begin += n
        got = ours.gradient(rows_of(x.numpy(), lengths), rows_of(y_bar.numpy(), lengths), lengths)
        compare("outputs", got[0], y, 1e-13)
        compare("gradient by weights", got[1], net.flat(gradient=True), 1e-12)
        compare("gradient by inputs", got[2], x_bar, 1e-12)


def check_training(library, _):
    """AdamW on the three losses: the weights after two hundred steps on all data."""
    losses = {"squares": torch.nn.MSELoss(), "absolute": torch.nn.L1Loss(), "huber": torch.nn.HuberLoss(delta=0.4)}
    for kind in ("dense", "gru", "lstm"):
        for name, loss in losses.items():
            layers = [(kind, 6, "tanh" if kind == "dense" else "identity", False), ("dense", 2, "identity", False)]
            torch.manual_seed(3)
            net, ours = Net(3, layers).double(), library.create(3, layers)
            ours.weights[:] = net.flat()
            x, y = torch.randn(20, 8, 3, dtype=torch.float64), torch.randn(20, 8, 2, dtype=torch.float64)
            lengths = np.full(8, 20, dtype=np.int32)
            optimiser = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.1)
            for _ in range(200):
                optimiser.zero_grad()
                value = loss(net(x), y)
                value.backward()
                optimiser.step()
            end = ours.train(rows_of(x.numpy(), lengths), rows_of(y.numpy(), lengths), lengths, loss=name, delta=0.4,
                             epochs=200, rate=0.01, weight_decay=0.1)
            compare(f"weights after AdamW, {name}", ours.weights, net.flat(), 1e-6 if name == "absolute" else 1e-9)
            compare(f"loss after AdamW, {name}", end.loss, loss(net(x), y).item(), 1e-7)


def ends(net, x):
    """Of [time][sequence][number]: the end of each direction of the first layer, then the other layers."""
    h = net.parts[0](x)[1]
    h = torch.cat(list(h[0] if isinstance(h, tuple) else h), dim=-1)
    for part in net.parts[1:]:
        h = part(h)
    return h


def check_ends(library, _):
    """Adam with weight decay on slices of one recording, with a target each: the weights after a hundred steps."""
    first = np.arange(0, 40, 3, dtype=np.int32)
    lengths = np.full(len(first), 9, dtype=np.int32)
    for kind, both in (("gru", False), ("lstm", False), ("lstm", True)):
        layers = [(kind, 6, "identity", both), ("dense", 4, "relu", False), ("dense", 2, "identity", False)]
        torch.manual_seed(5)
        net, ours = Net(3, layers).double(), library.create(3, layers)
        ours.weights[:] = net.flat()
        x, y = torch.randn(50, 3, dtype=torch.float64), torch.randn(len(first), 2, dtype=torch.float64)
        slices = torch.stack([x[i:i + 9] for i in first], dim=1)
        optimiser = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=0.01)
        for _ in range(100):
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(ends(net, slices), y).backward()
            optimiser.step()
        ours.train(x.numpy(), y.numpy(), lengths, first=first, ends=True, epochs=100, rate=0.01,
                   l2=np.full(ours.nweight, 0.01))
        compare("weights after Adam on ends of slices", ours.weights, net.flat(), 1e-9)
        y = ends(net, slices).detach().numpy()
        compare("ends of slices", ours.predict_ends(x.numpy(), first, lengths), y, 1e-9)


def check_onnx_written(library, out):
    """Files of Carom, read by onnx (double) and onnxruntime (single)."""
    rng = np.random.default_rng(1)
    for number, layers in enumerate(networks()):
        ours = library.create(4, layers)
        ours.weights[:] = rng.normal(size=ours.nweight) * 0.5
        if layers[-1][2] == "identity" and number % 2 == 1:
            ours.normalise(rng.normal(size=4), rng.uniform(0.5, 2, 4), rng.normal(size=ours.nout),
                           rng.uniform(0.5, 2, ours.nout))
        recurrent = any(kind != "dense" for kind, *_ in layers)
        x = rng.normal(size=(6, 3, 4)) if recurrent else rng.normal(size=(18, 4))
        lengths = np.full(3, 6, dtype=np.int32)
        right = ours.predict(rows_of(x, lengths) if recurrent else x, lengths if recurrent else None)
        for single in (True, False):
            path = out / f"net_{number}_{int(single)}.onnx"
            ours.save_onnx(path, single)
            onnx.checker.check_model(str(path), full_check=True)
            numbers = x.astype(np.float32 if single else np.float64)
            if single:
                session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
                y = session.run(None, {"input": numbers})[0]
            elif any(both for *_, both in layers):
                continue  # onnx's own evaluator has one direction only
            else:
                y = ReferenceEvaluator(str(path)).run(None, {"input": numbers})[0]
            y = rows_of(y, lengths) if recurrent else y
            compare("written ONNX, " + ("onnxruntime, single" if single else "onnx, double"), y, right,
                    1e-5 if single else 1e-12)


def check_onnx_read(library, out):
    """Files of PyTorch's exporter, read by Carom. It writes sine and all others as operators of their own."""
    for number, layers in enumerate(networks()):
        torch.manual_seed(number)
        net = Net(4, layers).double()
        path = out / f"torch_{number}.onnx"
        recurrent = any(net.recurrent)
        x = torch.randn(6, 3, 4, dtype=torch.float64) if recurrent else torch.randn(18, 4, dtype=torch.float64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(net, (x,), str(path), dynamo=False, opset_version=17, input_names=["x"],
                              dynamic_axes={"x": {0: "time", 1: "sequences"} if recurrent else {0: "rows"}})
        ours = library.open_onnx(path)
        lengths = np.full(3, 6, dtype=np.int32)
        rows = rows_of(x.numpy(), lengths) if recurrent else x.numpy()
        y = net(x).detach().numpy()
        y = rows_of(y, lengths) if recurrent else y
        compare("read ONNX of PyTorch", ours.predict(rows, lengths if recurrent else None), y, 1e-13)
        compare("weights read", ours.weights, net.flat(), 1e-15)


def check_speed(library, _):
    """An epoch of a network of about 1900 weights: ten sequences of three hundred rows."""
    layers = [("lstm", 18, "identity", False), ("dense", 4, "identity", False)]
    net, ours = Net(6, layers).double(), library.create(6, layers)
    ours.weights[:] = net.flat()
    x, y = torch.randn(300, 10, 6, dtype=torch.float64), torch.randn(300, 10, 4, dtype=torch.float64)
    lengths = np.full(10, 300, dtype=np.int32)
    rows = rows_of(x.numpy(), lengths), rows_of(y.numpy(), lengths)
    seconds = []
    for _ in range(2):
        begin = time.perf_counter()
        ours.train(*rows, lengths, epochs=10, rate=1e-3)
        seconds.append((time.perf_counter() - begin) / 10)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3)
    loss = torch.nn.MSELoss()
    for k in range(12):
        begin = begin if k > 2 else time.perf_counter()
        optimiser.zero_grad()
        loss(net(x), y).backward()
        optimiser.step()
    theirs = (time.perf_counter() - begin) / 10
    print(f"an epoch of {ours.nweight} weights over 3000 rows, one thread: Carom {min(seconds) * 1e3:.1f} ms, "
          f"PyTorch {theirs * 1e3:.1f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lib", required=True)
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    library = learned.Library(options.lib)
    for check in (check_layers, check_training, check_ends, check_onnx_written, check_onnx_read, check_speed):
        begin = time.perf_counter()
        check(library, options.out)
        print(f"{check.__name__}: {time.perf_counter() - begin:.0f} s", flush=True)
    for what, error in worst.items():
        print(f"{what}: {error:.2g}")
    print("\n".join(failures) or "all agree")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
