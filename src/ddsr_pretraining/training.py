"""Training of the prior, which predicts masked tokens from the data.

The learning rate warms up, stays constant, and only decreases in stages with annealing. Batches, maskings and
offsets depend on the number of the step, so training in stages gives the same result as without a break.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from ddsr.errors import DataError, MethodError
from ddsr.generators.first_weights import first_weights
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.encoder import Encoding
from ddsr.generators.prior.network import PriorNetwork
from ddsr_pretraining.batches import DataBatch, MakeExamples, as_batch, batches_from
from ddsr_pretraining.checkpoint import Checkpoint, TrainingProgress
from ddsr_pretraining.config import TrainingConfig
from ddsr_pretraining.gradient import CapturedGradient, PlainGradient
from ddsr_pretraining.views import Views, draw_length, draw_views, masked_loss

HELD_OUT = 2**40
"""index of the first held-out example"""
N_HELD_OUT = 2048
MOMENTS = ("exp_avg", "exp_avg_sq")
BETAS = (0.9, 0.98)


@dataclass(frozen=True)
class Report:
    """Progress of a training: means since the last report."""

    step: int
    loss: float
    """loss in nats per masked token"""
    gradient: float
    """norm of the gradient before clipping"""
    learning_rate: float
    examples_per_second: float
    seconds: float
    """seconds of all stages"""
    held_out_loss: float | None = None


@dataclass(frozen=True)
class Stage:
    """Limits of a stage of training, and its annealing."""

    steps: int | None = None
    seconds: float | None = None
    final_share: float | None = None
    """fraction to which the learning rate decreases linearly by the end of the stage; None: constant"""

    def done(self, steps: int, seconds: float) -> float:
        """Return the fraction of the stage that is done; 1 or more at its end."""
        return max(steps / (self.steps or math.inf), seconds / (self.seconds or math.inf))


class Trainer:
    """A network, its optimizer and their progress."""

    def __init__(
        self,
        network: NetworkConfig,
        training: TrainingConfig,
        make_examples: MakeExamples,
        recipe: Mapping[str, Any],
        device: torch.device,
    ) -> None:
        self.config, self.make_examples, self.recipe, self.device = training, make_examples, recipe, device
        with first_weights(training.seed):
            self.network = PriorNetwork(network).to(device)
        parameters = list(self.network.parameters())
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": training.weight_decay},
                {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
            ],
            lr=training.learning_rate,
            betas=BETAS,
            fused=device.type == "cuda",
        )
        self.progress = TrainingProgress()
        self.origin: Mapping[str, Any] | None = None
        self.gradient = PlainGradient(self._loss_of, self.network.parameters())
        self._is_compiled = self._is_stopped = False

    def start_from(self, network: PriorNetwork, origin: Mapping[str, Any]) -> None:
        """Start from trained weights, without their moments."""
        self.network.load_state_dict(network.state_dict())
        self.origin = origin

    @classmethod
    def resumed(cls, checkpoint: Checkpoint, make_examples: MakeExamples, device: torch.device) -> Trainer:
        """Return a trainer in the state of a checkpoint."""
        trainer = cls(checkpoint.network, checkpoint.training, make_examples, checkpoint.recipe, device)
        trainer._restore(checkpoint)
        return trainer

    def compile(self) -> None:
        """Compile the layers: one program for all row layers, and one for all layers of the denoiser."""
        import torch._dynamo

        torch._dynamo.config.recompile_limit = 64
        self._is_compiled = True
        for layer in (*self.network.encoder.layers, *self.network.denoiser.layers):
            layer.compile(dynamic=True)

    def capture(self) -> None:
        """Use CUDA graphs."""
        if self.device.type != "cuda":
            raise MethodError("--graphs needs a GPU: leave it out, or pass --device cuda")
        self.gradient = CapturedGradient(self._loss_of, self.network.parameters())

    def stop(self) -> None:
        """End the stage after the current step."""
        self._is_stopped = True

    def run(self, stage: Stage, report_every: int = 50, check_every: int = 2000) -> Iterator[Report]:
        """Train for a stage, and report every few steps and at the end."""
        began, first, share = time.monotonic(), self.progress, self.progress.rate_share
        losses: list[Tensor] = []
        gradients: list[Tensor] = []
        reported = began
        is_pinned = self.device.type == "cuda"
        with closing(batches_from(first.step, self.make_examples, self.config, is_pinned)) as stream:
            for batch in stream:
                done = stage.done(self.progress.step - first.step, time.monotonic() - began)
                if done >= 1.0 or self._is_stopped:
                    break
                if stage.final_share is not None:
                    share = first.rate_share + (stage.final_share - first.rate_share) * done
                loss, gradient = self.step(batch.to(self.device), share)
                losses.append(loss)
                gradients.append(gradient)
                now = time.monotonic()
                self.progress = TrainingProgress(self.progress.step + 1, first.seconds + now - began, share)
                if self.progress.step % report_every == 0:
                    is_checked = self.progress.step % check_every == 0
                    yield self._report(losses, gradients, now - reported, is_checked)
                    losses, gradients, reported = [], [], time.monotonic()
        if stage.final_share is not None and not self._is_stopped:
            self.progress = replace(self.progress, rate_share=stage.final_share)
        if losses:
            yield self._report(losses, gradients, time.monotonic() - reported, True)

    def step(self, batch: DataBatch, share: float = 1.0) -> tuple[Tensor, Tensor]:
        """Learn from one batch; return the loss before the step and the norm of the gradient."""
        loss = self.gradient.take(self._drawn(batch, self._generator(self.progress.step)))
        gradient = torch.nn.utils.clip_grad_norm_(self.gradient.parameters, self.config.most_gradient)
        rate = self.learning_rate(share)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return loss, gradient.detach()

    def loss(self, batch: DataBatch, generator: torch.Generator) -> Tensor:
        """Return the loss of one batch with random maskings and offsets."""
        return self._loss_of(*self._drawn(batch, generator))

    def _drawn(self, batch: DataBatch, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Return the arguments of `_loss_of`, with all random numbers drawn."""
        length = draw_length(self.network.config.max_length, generator)
        on_device = torch.Generator(self.device).manual_seed(generator.initial_seed())
        views = draw_views(batch.tokens, self.config.n_views, length, on_device)
        y = shift_some(batch.y, batch.is_row, self.config.offset_rate, on_device)
        of_views = (views.noisy_tokens, views.clean_tokens, views.weights)
        return (*of_views, batch.x, y, batch.is_row, batch.is_variable)

    def _loss_of(self, noisy_tokens: Tensor, clean_tokens: Tensor, weights: Tensor, *data: Tensor) -> Tensor:
        with self._precision():
            encoding = self.network.encode(*data)
            if self._is_compiled:  # each number of latents would need its own program
                encoding = pad_latents(encoding, self.network.config)
            logits = self.network.denoiser(noisy_tokens, encoding)
        return masked_loss(logits, Views(noisy_tokens, clean_tokens, weights))

    def learning_rate(self, share: float) -> float:
        """Return the learning rate of the next step."""
        warmth = min(1.0, (self.progress.step + 1) / max(1, self.config.warm_up))
        return self.config.learning_rate * warmth * share

    @torch.no_grad()
    def held_out_loss(self, n: int = N_HELD_OUT) -> float:
        """Return the mean loss on held-out examples, always with the same maskings."""
        examples = self.make_examples(HELD_OUT, n)
        order = np.argsort(examples.n_variables, kind="stable")
        parts = np.array_split(order, max(1, n // 128))
        with _not_compiled():  # torch would compile again for these shapes
            losses = [
                self.loss(as_batch(examples, part).to(self.device), self._generator(HELD_OUT + number))
                for number, part in enumerate(parts)
            ]
        return float(torch.stack(losses).mean())

    def checkpoint(self) -> Checkpoint:
        """Return the state of the training."""
        arrays = {}
        for name, parameter in self.network.named_parameters():
            state = self.optimizer.state.get(parameter, {})
            moments = {moment: state.get(moment, torch.zeros_like(parameter)) for moment in MOMENTS}
            for key, tensor in {"weight": parameter, **moments}.items():
                arrays[f"{key}/{name}"] = tensor.detach().float().cpu().numpy()
        return Checkpoint(arrays, self.network.config, self.config, self.recipe, self.progress, self.origin)

    def _restore(self, checkpoint: Checkpoint) -> None:
        self.progress, self.origin = checkpoint.progress, checkpoint.origin
        with torch.no_grad():
            for name, parameter in self.network.named_parameters():
                parameter.copy_(torch.from_numpy(checkpoint.arrays[f"weight/{name}"]))
                if self.progress.step:
                    moments = {
                        moment: torch.from_numpy(checkpoint.arrays[f"{moment}/{name}"]).to(self.device)
                        for moment in MOMENTS
                    }
                    at = self.device if self.device.type == "cuda" else torch.device("cpu")
                    steps = torch.tensor(float(self.progress.step), device=at)
                    self.optimizer.state[parameter] = {"step": steps, **moments}

    def _generator(self, number: int) -> torch.Generator:
        """Return the random numbers of one step."""
        seed = np.random.SeedSequence((self.config.seed, number)).generate_state(1, np.uint64)[0]
        return torch.Generator().manual_seed(int(seed) >> 1)

    def _precision(self) -> AbstractContextManager[Any]:
        is_cuda = self.device.type == "cuda"
        return torch.autocast("cuda", dtype=torch.bfloat16) if is_cuda else nullcontext()

    def _report(
        self, losses: list[Tensor], gradients: list[Tensor], seconds: float, is_checked: bool
    ) -> Report:
        loss, gradient = float(torch.stack(losses).mean()), float(torch.stack(gradients).mean())
        # After a step with such a gradient, the weights are not finite and must not be saved.
        if not (math.isfinite(loss) and math.isfinite(gradient)):
            raise DataError(
                f"the loss or its gradient was not finite at step {self.progress.step}: restart with "
                f"a learning_rate below {self.config.learning_rate:g}, from the last checkpoint if there is "
                "one (`ddsr prior export`, then `ddsr prior train --from` to another --out)"
            )
        return Report(
            step=self.progress.step,
            loss=loss,
            gradient=gradient,
            learning_rate=self.learning_rate(self.progress.rate_share),
            examples_per_second=len(losses) * self.config.batch_size / max(seconds, 1e-9),
            seconds=self.progress.seconds,
            held_out_loss=self.held_out_loss() if is_checked else None,
        )


def _not_compiled() -> AbstractContextManager[Any]:
    set_stance = getattr(torch.compiler, "set_stance", None)  # since torch 2.6
    return nullcontext() if set_stance is None else set_stance("force_eager")


def shift_some(y: Tensor, is_row: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """Add a random offset of the target's size to some of the targets."""
    size = (y.abs() * is_row).amax(dim=1, keepdim=True)
    lots = torch.rand((len(y), 1), generator=generator, device=y.device)
    offsets = torch.randn((len(y), 1), generator=generator, device=y.device) * size
    return torch.where(is_row & (lots < rate), y + offsets, y)


def pad_latents(encoding: Encoding, config: NetworkConfig) -> Encoding:
    """Pad an encoding to the maximum number of latents, rounded up to a multiple of 8 for fast attention."""
    most = config.n_row_latents + config.n_variable_latents * config.max_variables
    missing = -(-most // 8) * 8 - encoding.memory.shape[1]
    memory = pad(encoding.memory, (0, 0, 0, missing))
    return replace(encoding, memory=memory, is_memory=pad(encoding.is_memory, (0, missing)))
