"""The weights of several denoisers of one configuration, stacked along a first axis."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from ddsr.config import DenoiserConfig
from ddsr.diffusion.denoiser import Denoiser
from ddsr.first_weights import first_weights

VOCABULARY_NAMES = ("embedding.weight", "to_logits.weight", "to_logits.bias")
"""weights whose first axis runs over the vocabulary"""


class StackedWeights:
    """One tensor (S, *shape) for each name in `Denoiser.state_dict()`.

    Vocabularies differ in size, so their axis is padded with zeros. The embedding of MASK stays at the index
    `vocab_sizes[s]`, behind the tokens of its own problem. A `max_vocab_size` that is a multiple of 16 is
    fastest. Tensors are changed in place, never replaced: CUDA graphs hold their addresses.
    """

    def __init__(
        self,
        n_problems: int,
        max_vocab_size: int,
        max_length: int,
        config: DenoiserConfig,
        device: torch.device,
    ) -> None:
        self.n_problems, self.max_vocab_size, self.max_length = n_problems, max_vocab_size, max_length
        self.config, self.device = config, device
        with first_weights(0):  # of which only the shapes are used
            shaped = Denoiser(max_vocab_size, max_length, config).state_dict()
        self.tensors = {
            name: torch.zeros((n_problems, *one.shape), device=device) for name, one in shaped.items()
        }
        self.vocab_sizes = torch.zeros(n_problems, dtype=torch.int32, device=device)

    def share(self, tensors: Mapping[str, Tensor]) -> None:
        """Use these tensors, of the same shapes; MASK has the last embedding in each of them."""
        self.tensors = dict(tensors)
        self.vocab_sizes.fill_(self.max_vocab_size)

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def load(self, problem: int, state: Mapping[str, Tensor], vocab_size: int) -> None:
        """Copy the weights of one denoiser into its place."""
        if not 1 <= vocab_size <= self.max_vocab_size:
            raise ValueError(f"vocabulary of {vocab_size} tokens; the stack takes 1 to {self.max_vocab_size}")
        if state.keys() != self.tensors.keys():
            raise ValueError(f"weights {sorted(state.keys() ^ self.tensors.keys())} do not belong together")
        with torch.no_grad():
            for name, tensor in self.tensors.items():
                if name in VOCABULARY_NAMES:
                    tensor[problem].zero_()
                    tensor[problem, : len(state[name])] = state[name]
                else:
                    tensor[problem] = state[name]
        self.vocab_sizes[problem] = vocab_size

    def state_of(self, problem: int) -> dict[str, Tensor]:
        """Copies of the weights of one problem, without padding, for `Denoiser.load_state_dict`."""
        vocab_size = int(self.vocab_sizes[problem])
        lengths = {
            "embedding.weight": vocab_size + 1,
            "to_logits.weight": vocab_size,
            "to_logits.bias": vocab_size,
        }
        return {
            name: tensor[problem, : lengths.get(name)].detach().clone()
            for name, tensor in self.tensors.items()
        }
