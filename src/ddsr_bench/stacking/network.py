"""The weights of stacked denoisers in the kernel's format, in two tensors."""

from __future__ import annotations

import torch
from torch import Tensor

from ddsr.generators.diffusion.denoiser import encode
from ddsr_bench.stacking.parameters import StackedParameters

FEED_FORWARD_LAYERS = ("encoder.0", "decoder.0")


class KernelWeights:
    """Copies of the weights in the order and precision of the kernel, with as few products as possible.

    Attention with one head needs two products instead of four. Its scores are those of a query
    (Wₖᵀ (W_q x + b_q)) / √D and the context y itself, up to a term that is the same for every y, which the
    softmax cancels. Its output is Wₒ Wᵥ (Σ p y) + Wₒ bᵥ + bₒ.

    The feed-forward layers are in half precision. Their norms and first biases are folded into W₁. A
    standardised z has Σ z = 0, so adding a column a to each column of W₁ does not change W₁ z. The kernel
    multiplies by z + 1, and a is chosen so that its products with 1 sum up to the bias:

        W₁ (w ∘ z + b) + b₁ = W z + β = (W + a 1ᵀ)(z + 1)

    with W = W₁ diag(w), β = W₁ b + b₁ and a = (β − W 1) / D.
    """

    def __init__(self, parameters: StackedParameters) -> None:
        self.weights = parameters.named(parameters.current)
        self.config, self.vocab_size = parameters.config, parameters.vocab_size
        config, device, n_members = parameters.config, parameters.device, parameters.n_members
        self.small = torch.cat(self._small(), dim=1)
        per_layer = config.feed_forward_width * config.width
        self.wide = torch.zeros((n_members, 4 * per_layer), dtype=torch.float16, device=device)
        half, max_length = config.width // 2, parameters.max_length
        self.position_codes = encode(torch.arange(max_length), half).to(device)
        self.step_codes = encode(torch.arange(max_length + 1), half).to(device)
        self.mask_tokens = torch.full((n_members,), self.vocab_size, dtype=torch.int32, device=device)

    def refresh(self) -> None:
        """Copy the current weights; a CUDA graph can capture this."""
        with torch.no_grad():
            torch.cat(self._small(), dim=1, out=self.small)
            for part, layer in enumerate(FEED_FORWARD_LAYERS):
                widen = self._folded(layer).flatten(1)
                narrow = self.weights[f"{layer}.feed_forward.narrow.weight"].flatten(1)
                begin, size = 2 * part * widen.shape[1], widen.shape[1]
                self.wide[:, begin : begin + size] = widen
                self.wide[:, begin + size : begin + 2 * size] = narrow

    def _small(self) -> list[Tensor]:
        """Return the weights in single precision, (S, n) each, in the order in which they are read."""
        parts = [
            *self._linear("encoder.0.self_norm"),
            *self._attention("encoder.0.self_attention"),
            self.weights["encoder.0.feed_forward.narrow.bias"],
            *self._linear("encoder_norm"),
            *self._linear("decoder.0.self_norm"),
            *self._attention("decoder.0.self_attention"),
            *self._linear("decoder.0.cross_norm"),
            *self._attention("decoder.0.cross_attention"),
            self.weights["decoder.0.feed_forward.narrow.bias"],
            *self._linear("decoder_norm"),
            *self._linear("to_logits"),
            self.weights["embedding.weight"],
        ]
        return [part.detach().flatten(1) for part in parts]

    def _linear(self, name: str) -> tuple[Tensor, Tensor]:
        return self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]

    def _attention(self, name: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return weight and bias of the query and of the output."""
        (query, query_bias), (key, _), (value, value_bias), (out, out_bias) = (
            self._linear(f"{name}.{part}") for part in ("query", "key", "value", "out")
        )
        to_query = key.mT * self.config.width**-0.5
        query_bias = (to_query @ query_bias[..., None])[..., 0]
        out_bias = (out @ value_bias[..., None])[..., 0] + out_bias
        return to_query @ query, query_bias, out @ value, out_bias

    def _folded(self, layer: str) -> Tensor:
        """Return W + a 1ᵀ, (S, hidden, D)."""
        widen = self.weights[f"{layer}.feed_forward.widen.weight"]
        scale, shift = (self.weights[f"{layer}.last_norm.{kind}"] for kind in ("weight", "bias"))
        scaled = widen * scale[:, None, :]
        bias = (widen * shift[:, None, :]).sum(-1) + self.weights[f"{layer}.feed_forward.widen.bias"]
        return scaled + ((bias - scaled.sum(-1)) / self.config.width)[..., None]

    def of_kernel(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Return the tensors that `launch_forward` takes."""
        return self.small, self.wide, self.position_codes, self.step_codes, self.mask_tokens
