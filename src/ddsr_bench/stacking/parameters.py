"""θ, θ_ref and Adam's moments of several denoisers, with one more axis for the members of the stack.

The stack's vocabulary has the size of the largest; MASK is its last embedding. Rows that a member does not
use are 0, never legal, and never get a gradient.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from ddsr.config import DenoiserConfig
from ddsr.generators.diffusion.denoiser import Attention, Denoiser
from ddsr.generators.first_weights import first_weights
from ddsr.storage.saved import Saved

EMBEDDING = "embedding.weight"
OF_TOKENS = (EMBEDDING, "to_logits.weight", "to_logits.bias")
MOMENTS = ("exp_avg", "exp_avg_sq")


class StackedParameters:
    """All numbers in one row, parameter after parameter, so that Adam needs few operations."""

    def __init__(
        self, n_members: int, vocab_size: int, max_length: int, config: DenoiserConfig, device: torch.device
    ) -> None:
        self.n_members, self.vocab_size, self.max_length = n_members, vocab_size, max_length
        self.config, self.device = config, device
        with first_weights(0):  # unused, but must not draw from other threads' random numbers
            skeleton = Denoiser(vocab_size, max_length, config)
        self.skeleton = skeleton.to(device).requires_grad_(False)
        for module in self.skeleton.modules():
            if isinstance(module, Attention):
                module.is_written_out = True
        self.shapes = {name: tensor.shape for name, tensor in self.skeleton.named_parameters()}
        sizes = [n_members * shape.numel() for shape in self.shapes.values()]
        self.current, self.reference, self.mean, self.square = (
            torch.zeros(sum(sizes), device=device) for _ in range(4)
        )
        self.n_steps = torch.zeros(n_members, device=device)
        members = torch.arange(n_members, device=device)
        self.member_of = torch.cat(
            [members.repeat_interleave(shape.numel()) for shape in self.shapes.values()]
        )

    def named(self, flat: Tensor) -> dict[str, Tensor]:
        """Return views of `flat`, (S, *shape) for every parameter, by the names of `Denoiser`."""
        parts = torch.split(flat, [self.n_members * shape.numel() for shape in self.shapes.values()])
        return {
            name: part.view(self.n_members, *shape)
            for (name, shape), part in zip(self.shapes.items(), parts, strict=True)
        }

    @torch.no_grad()
    def load_network(self, member: int, weights: Mapping[str, np.ndarray], vocab_size: int) -> None:
        """Copy θ of one network, by the names of `Denoiser`, to a member."""
        if not 1 <= vocab_size <= self.vocab_size:
            raise ValueError(f"vocabulary of {vocab_size} tokens; the stack takes 1 to {self.vocab_size}")
        if weights.keys() != self.shapes.keys():
            raise ValueError(f"weights {sorted(weights.keys() ^ self.shapes.keys())} do not belong together")
        self._put(member, self.current, weights, vocab_size)

    @torch.no_grad()
    def load(self, member: int, saved: Saved, vocab_size: int) -> None:
        """Copy a state from `Policy.saved` to a member."""
        self.load_network(member, saved["network"], vocab_size)
        self._put(member, self.reference, saved["reference"], vocab_size)
        n_steps = 0.0
        moments = {name: saved["moments"].get(str(index)) for index, name in enumerate(self.shapes)}
        for key, flat in zip(MOMENTS, (self.mean, self.square), strict=True):
            given = {name: each[key] for name, each in moments.items() if each is not None}
            self._put(member, flat, given, vocab_size)
        for each in moments.values():
            n_steps = max(n_steps, 0.0 if each is None else float(each["step"]))
        self.n_steps[member] = n_steps

    def saved(self, member: int, vocab_size: int) -> Saved:
        """Return the state in the format of `Policy.saved`, so that the run can be resumed alone."""
        network, reference, mean, square = (
            self._taken(member, flat, vocab_size)
            for flat in (self.current, self.reference, self.mean, self.square)
        )
        n_steps = np.float32(self.n_steps[member].item())
        moments = {
            str(index): {"step": np.array(n_steps), "exp_avg": mean[name], "exp_avg_sq": square[name]}
            for index, name in enumerate(self.shapes)
        }
        return {"network": network, "reference": reference, "moments": moments if n_steps > 0 else {}}

    def _put(self, member: int, flat: Tensor, arrays: Mapping[str, np.ndarray], vocab_size: int) -> None:
        for name, place in self.named(flat).items():
            place[member].zero_()
            if name in arrays:
                given = torch.from_numpy(np.ascontiguousarray(arrays[name])).to(self.device)
                place[member, self._rows(name, vocab_size)] = given

    def _taken(self, member: int, flat: Tensor, vocab_size: int) -> Saved:
        return {
            name: place[member, self._rows(name, vocab_size)].cpu().numpy().copy()
            for name, place in self.named(flat).items()
        }

    def _rows(self, name: str, vocab_size: int) -> Tensor | slice:
        """Return the rows of a member in a parameter of the stack."""
        if name not in OF_TOKENS:
            return slice(None)
        rows = torch.arange(vocab_size, device=self.device)
        mask = torch.tensor([self.vocab_size], device=self.device)
        return torch.cat((rows, mask)) if name == EMBEDDING else rows
