"""An estimator that costs nothing, and methods that fail, in place of ddsr's own."""

import os
import subprocess
import sys
import time

import numpy as np

from ddsr.errors import DeviceError
from ddsr.search.paper import SHARED


class WrittenLinearRegression:
    def fit(self, X, y):
        self.names = list(X.columns)
        self.weights = np.linalg.lstsq(self.design(X), y, rcond=None)[0]

    def predict(self, X):
        return self.design(X) @ self.weights

    def sympy(self):
        terms = zip(self.weights, ["1", *self.names], strict=True)
        return " + ".join(f"{float(weight)!r}*{name}" for weight, name in terms)

    def design(self, X):
        return np.column_stack([np.ones(len(X)), X.to_numpy()])


class Diverging(WrittenLinearRegression):
    def predict(self, X):
        return np.full(len(X), np.inf)


class Hanging(WrittenLinearRegression):
    def fit(self, X, y):
        time.sleep(600)


class Slow(WrittenLinearRegression):
    def fit(self, X, y):
        time.sleep(2)
        super().fit(X, y)


class Raising(WrittenLinearRegression):
    def fit(self, X, y):
        raise MemoryError("matrix of 1e12 rows")


class WithoutDevice(WrittenLinearRegression):
    """Finds that another process holds its GPU."""

    def fit(self, X, y):
        raise DeviceError("device='cuda' cannot be used now: busy")


class Dying(WrittenLinearRegression):
    def fit(self, X, y):
        os.kill(os.getpid(), 9)


class Hungry(WrittenLinearRegression):
    def fit(self, X, y):
        self.held = np.ones(2**27)  # 1 GiB
        time.sleep(600)


class Parent(WrittenLinearRegression):
    def fit(self, X, y):
        subprocess.run([sys.executable, "-c", "held = bytearray(b'1') * 2**30; import time; time.sleep(600)"])


class Chatty(WrittenLinearRegression):
    def fit(self, X, y):
        print("epoch 1\nthreads", os.environ["OMP_NUM_THREADS"])
        super().fit(X, y)


class OutOfMemoryError(RuntimeError):
    """Has the name of torch's own error."""


class Wide(WrittenLinearRegression):
    """Fits into the device's memory with at most one other run."""

    def fit(self, X, y):
        if SHARED.get().n_places > 2:
            raise OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")
        super().fit(X, y)


METHODS = {
    "linear": WrittenLinearRegression,
    "diverging": Diverging,
    "hanging": Hanging,
    "raising": Raising,
    "without device": WithoutDevice,
    "dying": Dying,
    "chatty": Chatty,
    "slow": Slow,
    "hungry": Hungry,
    "parent": Parent,
    "wide": Wide,
}


def make(method, seed, time, epochs, threads, device):
    return METHODS[method]()
