from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PAD: int
MASK: int

class Vocabulary:
    def __init__(
        self, operators: Sequence[str], has_one: bool, has_constant: bool, n_variables: int
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def arities(self) -> list[int]: ...

class Grammar:
    def __init__(
        self,
        vocabulary: Vocabulary,
        max_length: int,
        max_constants: int,
        nestings: Sequence[tuple[Sequence[int], Sequence[int], int]],
        uses: Sequence[tuple[Sequence[int], int]],
        required: Sequence[int],
    ) -> None: ...
    def legal_tokens(self, rows: NDArray[np.int16], n_threads: int) -> NDArray[np.uint8]: ...
    def is_legal(self, rows: NDArray[np.int16], n_threads: int) -> NDArray[np.uint8]: ...
    def check(self, tokens: NDArray[np.int16]) -> tuple[int, str]: ...
    def fill(
        self,
        logits: NDArray[np.float32],
        kept: NDArray[np.int16],
        seed: int,
        stream: int,
        n_threads: int,
    ) -> tuple[NDArray[np.int16], NDArray[np.float32]]: ...

def random_block(seed: int, stream: int, index: int, position: int) -> list[int]: ...
def random_normal(seed: int, stream: int, index: int, position: int) -> float: ...
