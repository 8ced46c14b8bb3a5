"""Small stacks of problems, and where their kernels run."""

import os
from importlib.util import find_spec

import numpy as np
import pytest
import torch

from ddsr.config import DenoiserConfig
from ddsr.expression.vocabulary import Vocabulary
from ddsr.generators.diffusion.denoiser import Denoiser
from ddsr.grammar import AtMost, Forbid, Grammar, Nesting
from ddsr_bench.stacking.backward import StackedBackward
from ddsr_bench.stacking.parameters import StackedParameters
from ddsr_bench.stacking.support import Launch

IS_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = torch.device("cuda" if torch.cuda.is_available() and not IS_INTERPRETED else "cpu")
needs_kernels = pytest.mark.skipif(
    find_spec("triton") is None or not (IS_INTERPRETED or torch.cuda.is_available()),
    reason="needs Triton, and a CUDA device or TRITON_INTERPRET=1 (test_interpreted.py sets it)",
)
# In the interpreter, a large block takes no longer than a small one.
LAUNCH = Launch(n_tokens=1024, fill_rows=512) if DEVICE.type == "cpu" else Launch(precision="tf32x3")

LENGTH = 8
GRAMMARS = (
    Grammar(
        Vocabulary(("x", "y"), ("add", "mul", "sin", "exp", "log")),
        LENGTH,
        1,
        [Nesting("exp", ("exp", "sin"), 1), AtMost(("add", "exp"), 2), Nesting("log", "log")],
    ),
    Grammar(Vocabulary(("x", "y", "z"), ("add", "sub", "cos", "neg")), LENGTH, 2, [Forbid("cos", on="z")]),
    Grammar(Vocabulary(("x",), ("add", "mul", "sqrt"), has_constant=False), LENGTH),
)
CONFIG = DenoiserConfig(feed_forward_width=64)


def make_network(grammar: Grammar, seed: int, config: DenoiserConfig = CONFIG) -> Denoiser:
    """A network whose norms and biases are not the initial ones."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Denoiser(len(grammar.vocabulary), grammar.max_length, config)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(0.2 * torch.randn_like(parameter))
    network.start_from(grammar.vocabulary.arities, config.first_arities)
    return network.to(DEVICE)


def weights_of(network: Denoiser) -> dict[str, np.ndarray]:
    """The weights in the format saved by a policy."""
    return {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}


def make_stack(grammars, n_rows, networks=None) -> StackedBackward:
    """A stack of these problems."""
    max_vocab_size = max(len(grammar.vocabulary) for grammar in grammars)
    parameters = StackedParameters(len(grammars), max_vocab_size, grammars[0].max_length, CONFIG, DEVICE)
    stack = StackedBackward(parameters, n_rows, LAUNCH)
    for problem, grammar in enumerate(grammars):
        network = networks[problem] if networks else make_network(grammar, problem)
        parameters.load_network(problem, weights_of(network), len(grammar.vocabulary))
        stack.tables.load(problem, grammar)
    return stack


def random_tokens(grammar: Grammar, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Tokens at some positions, legal or not, and MASK elsewhere."""
    legal = grammar.sample(n_rows, seed=int(rng.integers(2**32)))
    some = rng.integers(0, len(grammar.vocabulary), legal.shape)
    tokens = np.where((rng.random(legal.shape) < 0.3) | (legal < 0), some, legal)
    return np.where(rng.random(legal.shape) < 0.5, tokens, -2).astype(np.int16)
