#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processor time of a training epoch of a GRU, in Carom and in PyTorch on the same thread.
Usage: gru_epoch.py --lib libcarom.so [--slices N] [--rounds N]

A GRU of 128 units over slices of 16 states of 13 numbers, then dense layers of 64 (ReLU) and 6 on the last
state; steps of Adam on 64 slices. The time is scaled to 320,000 slices, an epoch of 5000 tosses. Rounds
alternate, the least time counts. Needs NumPy and PyTorch.
"""
import argparse
import os
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
import torch  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "network"))
import learned  # noqa: E402

ROWS, INPUTS, HIDDEN, OUTPUTS, BATCH, EPOCH = 16, 13, 128, 6, 64, 320_000


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = torch.nn.GRU(INPUTS, HIDDEN, batch_first=True)
        self.head = torch.nn.Sequential(torch.nn.Linear(HIDDEN, HIDDEN // 2), torch.nn.ReLU(),
                                        torch.nn.Linear(HIDDEN // 2, OUTPUTS))

    def forward(self, x):
        return self.head(self.gru(x)[0][:, -1])


def torch_time(x, y, dtype):
    """Seconds of an epoch in PyTorch."""
    torch.manual_seed(0)
    net = Net().to(dtype)
    x, y = torch.tensor(x, dtype=dtype), torch.tensor(y, dtype=dtype)
    adam = torch.optim.Adam(net.parameters(), lr=1e-4)
    begun = time.process_time()
    order = torch.randperm(len(x))
    for first in range(0, len(x), BATCH):
        which = order[first:first + BATCH]
        adam.zero_grad()
        torch.nn.functional.mse_loss(net(x[which]), y[which]).backward()
        adam.step()
    return time.process_time() - begun


def carom_time(library, x, y):
    """Seconds of an epoch in Carom: what two more epochs take, halved."""
    length = np.full(len(x), ROWS, dtype=np.int32)
    spent = []
    for epochs in (1, 3):
        net = library.create(INPUTS, [("gru", HIDDEN, "identity", False),
                                      ("dense", HIDDEN // 2, "relu", False),
                                      ("dense", OUTPUTS, "identity", False)])
        begun = time.process_time()
        net.train(x.reshape(-1, INPUTS), y, length, ends=True, epochs=epochs, batch=BATCH, rate=1e-4, threads=1)
        spent.append(time.process_time() - begun)
    return (spent[1] - spent[0]) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--slices", type=int, default=2560)
    parser.add_argument("--rounds", type=int, default=3)
    o = parser.parse_args()
    torch.set_num_threads(1)
    random = np.random.default_rng(0)
    x, y = random.standard_normal((o.slices, ROWS, INPUTS)), random.standard_normal((o.slices, OUTPUTS))
    library = learned.Library(o.lib)
    runs = {"Carom, double": lambda: carom_time(library, x, y),
            "PyTorch, double": lambda: torch_time(x, y, torch.float64),
            "PyTorch, single": lambda: torch_time(x, y, torch.float32)}
    least = {name: min(times) for name, times in
             zip(runs, zip(*[[run() for run in runs.values()] for _ in range(o.rounds)]))}
    for name, seconds in least.items():
        print(f"{name}: {seconds * EPOCH / o.slices:.0f} s an epoch, "
              f"{seconds / least['PyTorch, double']:.2f} of PyTorch in double")


if __name__ == "__main__":
    main()
