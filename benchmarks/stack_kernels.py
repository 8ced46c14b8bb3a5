"""Check and time the kernels of a stack on a CUDA device: `python -m benchmarks.stack_kernels`.

The checks compare each kernel with the code for a single problem: the network with `Denoiser`, the fill with
`Grammar.fill_tokens`. The times are those of one epoch's draw, 3000 rows per problem, for stacks of several
sizes. `--sweep` also compares ways to partition the work.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
import torch

from benchmarks.hardware import describe_run
from ddsr._core import MASK
from ddsr.config import PaperConfig
from ddsr.expression.vocabulary import Vocabulary
from ddsr.generators.diffusion.denoiser import Denoiser
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.grammar import Grammar
from ddsr_bench.stacking.backward import StackedBackward
from ddsr_bench.stacking.network import KernelWeights
from ddsr_bench.stacking.parameters import StackedParameters
from ddsr_bench.stacking.support import DEFAULT, Launch

CUDA = torch.device("cuda")
CONFIG = PaperConfig()
OPERATORS = (
    "add",
    "sub",
    "mul",
    "div",
    "sin",
    "cos",
    "exp",
    "log",
    "sqrt",
    "neg",
    "inverse",
    "square",
    "tanh",
)
MAX_VOCAB_SIZE = 32
SWEEP = (
    DEFAULT,
    DEFAULT._replace(precision="tf32x3"),
    DEFAULT._replace(max_registers=168),
    DEFAULT._replace(max_registers=255),
    DEFAULT._replace(n_tokens=64, predict_warps=2),
    DEFAULT._replace(n_tokens=64, predict_warps=4),
    DEFAULT._replace(n_tokens=256, predict_warps=8),
    DEFAULT._replace(hidden_block=128, max_registers=168),
    DEFAULT._replace(predict_stages=2),
    DEFAULT._replace(predict_stages=4),
    DEFAULT._replace(fill_rows=16, fill_warps=2),
    DEFAULT._replace(fill_rows=16, fill_warps=4),
    DEFAULT._replace(fill_rows=64, fill_warps=4),
    DEFAULT._replace(fill_rows=32, fill_warps=2),
)


def make_grammar(problem: int) -> Grammar:
    """A grammar with a different vocabulary for each of eight problems."""
    names = [f"x{column}" for column in range(1 + problem % 8)]
    operators = OPERATORS[: len(OPERATORS) - problem % 3]
    return Grammar(Vocabulary(names, operators), CONFIG.max_length, CONFIG.max_constants)


def make_network(problem: int) -> Denoiser:
    grammar = make_grammar(problem)
    torch.manual_seed(problem)
    network = Denoiser(len(grammar.vocabulary), CONFIG.max_length, CONFIG.denoiser).to(CUDA)
    network.start_from(grammar.vocabulary.arities, CONFIG.denoiser.first_arities)
    return network


def make_stack(problems: list[int], n_rows: int, launch: Launch = DEFAULT) -> StackedBackward:
    parameters = StackedParameters(len(problems), MAX_VOCAB_SIZE, CONFIG.max_length, CONFIG.denoiser, CUDA)
    stack = StackedBackward(parameters, n_rows, launch)
    for place, problem in enumerate(problems):
        network = make_network(problem)
        weights = {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}
        parameters.load_network(place, weights, network.vocab_size)
        stack.tables.load(place, make_grammar(problem))
    return stack


def predict(
    weights: KernelWeights, tokens: torch.Tensor, step: int, launch: Launch = DEFAULT
) -> torch.Tensor:
    """Return the logits (S, R, M, V) of q(X_0) given X_t, (S, R, M), at one step t for all rows."""
    # Only CUDA builds of PyTorch have Triton.
    from ddsr_bench.stacking.network_kernel import launch_forward

    n_problems, n_rows, n_positions = tokens.shape
    device = tokens.device
    rows = torch.arange(n_rows, dtype=torch.int32, device=device).repeat(n_problems, 1)
    counts = torch.full((n_problems, n_positions + 1), n_rows, dtype=torch.int32, device=device)
    logits = torch.zeros((*tokens.shape, weights.vocab_size), device=device)
    weights.refresh()
    launch_forward(
        tokens, rows, counts, weights.of_kernel(), logits, step, n_rows, weights.config.width, launch
    )
    return logits


def check_network(launch: Launch) -> None:
    """Print the largest error of the logits, relative to their largest value."""
    n_rows, step = 203, 9
    stack = make_stack([0, 3, 5], n_rows, launch)
    networks = [make_network(problem) for problem in (0, 3, 5)]
    shape = (n_rows, CONFIG.max_length)
    tokens = torch.stack(
        [torch.randint(-2, network.vocab_size, shape, dtype=torch.int16, device=CUDA) for network in networks]
    )
    logits = predict(stack.kernel_weights, tokens, step, launch)
    for network, own_tokens, own_logits in zip(networks, tokens, logits, strict=True):
        with torch.no_grad():
            expected = network(own_tokens, torch.full((n_rows,), step, device=CUDA))
        error = (own_logits[..., : network.vocab_size] - expected).abs().max() / expected.abs().max()
        verdict = "ok" if error < 2e-2 else "WRONG"
        print(f"network, {launch.precision}: relative error {float(error):.1e}: {verdict}", flush=True)


def check_fill(n_rows: int = 1000, step: int = 20) -> None:
    """Print how many rows are filled as the native grammar fills them."""
    stack = make_stack([0, 3, 5], n_rows)
    rng = np.random.default_rng(0)
    now = step % 2
    stack.asked.copy_(torch.tensor([[5, 7, 1], [6, 8, 1], [2**40, 9, 1]]))
    stack.logits.normal_()
    stack.rows[now].copy_(torch.arange(n_rows, device=CUDA).expand(3, -1))
    stack.n_active_rows[:, step] = n_rows
    kept = []
    for place, problem in enumerate((0, 3, 5)):
        clean = make_grammar(problem).sample(n_rows, seed=place)
        is_kept = (clean >= 0) & (rng.random(clean.shape) < 0.3)
        kept.append(np.where(is_kept, clean, MASK).astype(np.int16))
        stack.kept[now][place] = torch.from_numpy(kept[-1])
    stack.fill_step(step)
    drawn = stack.drawn.cpu().numpy()
    for place, problem in enumerate((0, 3, 5)):
        grammar = make_grammar(problem)
        logits = stack.logits[place, :, :, : len(grammar.vocabulary)].cpu().numpy()
        seed, epoch = stack.asked[place, :2].tolist()
        native = grammar.fill_tokens(logits, kept[place], seed, epoch * CONFIG.max_length + step - 1)
        share = (drawn[place] == native).all(axis=1).mean()
        is_legal = grammar.is_legal(drawn[place]).all()
        verdict = "ok" if is_legal and share > 0.98 else "WRONG"
        print(f"fill: {share:.2%} of the rows as native, all legal {is_legal}: {verdict}", flush=True)


def check_draw(n_rows: int = 500) -> None:
    """Print whether all rows are legal, reproducible, and independent of other problems."""
    stack = make_stack([0, 3, 5], n_rows)
    drawn = stack.draw([1, 2, 3], [4, 5, 6], [True] * 3)
    again = stack.draw([1, 2, 3], [4, 5, 6], [True, False, True])
    alone = make_stack([5], n_rows).draw([3], [6], [True])
    is_legal = all(
        make_grammar(problem).is_legal(drawn[place]).all() for place, problem in enumerate((0, 3, 5))
    )
    is_same = (again[[0, 2]] == drawn[[0, 2]]).all() and (alone[0] == drawn[2]).all()
    other = stack.draw([1, 2, 3], [5, 5, 6], [True] * 3)
    is_other = (other[0] != drawn[0]).any() and (other[1] == drawn[1]).all()
    verdict = "ok" if is_legal and is_same and is_other else "WRONG"
    print(f"draw: legal {is_legal}, repeats {is_same}, epochs differ {is_other}: {verdict}", flush=True)


def milliseconds(work: Callable[[], object], n: int = 5) -> float:
    """Mean time on the device, after one warm-up call."""
    work()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for _ in range(n):
        work()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / n


def time_steps(stack: StackedBackward) -> tuple[float, float]:
    """Mean time per step of each kernel in microseconds, all problems together."""
    marks = [[torch.cuda.Event(enable_timing=True) for _ in range(3)] for _ in range(CONFIG.max_length)]
    torch.cuda._sleep(100_000_000)  # keeps the device busy while the host queues all launches
    stack.begin()
    for step in range(CONFIG.max_length, 0, -1):
        begin, middle, end = marks[step - 1]
        begin.record()
        stack.predict_step(step)
        middle.record()
        stack.fill_step(step)
        end.record()
    torch.cuda.synchronize()
    predict_time = sum(begin.elapsed_time(middle) for begin, middle, _ in marks)
    fill_time = sum(middle.elapsed_time(end) for _, middle, end in marks)
    return 1e3 * predict_time / CONFIG.max_length, 1e3 * fill_time / CONFIG.max_length


def time_stack(n_problems: int, n_rows: int, launch: Launch = DEFAULT) -> str:
    """Time of a draw and of its steps, per problem. The first draw compiles and captures."""
    began = time.perf_counter()
    stack = make_stack(list(range(n_problems)), n_rows, launch)
    asked = (list(range(n_problems)), [0] * n_problems, [True] * n_problems)
    stack.draw(*asked)
    first = time.perf_counter() - began
    graph = stack.graph
    assert graph is not None
    whole = milliseconds(graph.replay) / n_problems
    began = time.perf_counter()
    stack.draw(*asked)
    with_host = 1e3 * (time.perf_counter() - began) / n_problems
    predict_time, fill_time = time_steps(stack)
    active = stack.n_active_rows.float().mean(dim=0).tolist()
    shares = "/".join(f"{active[step] / n_rows:.2f}" for step in (31, 24, 16, 8, 1))
    return (
        f"{n_problems} problems: draw {whole:6.2f} ms a problem, {with_host:6.2f} with the host; "
        f"a step: predict {predict_time / n_problems:.1f} µs, fill {fill_time / n_problems:.1f} µs each; "
        f"rows left at steps 31/24/16/8/1: {shares}; first draw {first:.1f} s"
    )


def time_one(n_rows: int) -> str:
    """Time of the present generator on one problem."""
    generator = MaskedDiffusion(make_grammar(0), CONFIG, 0, CUDA, n_threads=4)
    generator.draw(n_rows, 0)
    began = time.perf_counter()
    generator.draw(n_rows, 1)
    return f"MaskedDiffusion.draw of one problem: {1e3 * (time.perf_counter() - began):.1f} ms"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=3000)
    options.add_argument("--stacks", default="1,4,8", help="numbers of problems in a stack")
    options.add_argument("--sweep", action="store_true", help="compare ways to cut the work; takes minutes")
    arguments = options.parse_args()
    print(json.dumps(describe_run() | {"torch": torch.__version__, "gpu": torch.cuda.get_device_name()}))
    check_network(DEFAULT)
    check_network(DEFAULT._replace(precision="tf32x3"))
    check_fill()
    check_draw()
    for n_problems in map(int, arguments.stacks.split(",")):
        print(time_stack(n_problems, arguments.rows), flush=True)
    print(time_one(arguments.rows), flush=True)
    for launch in SWEEP if arguments.sweep else ():
        print(launch, flush=True)
        print("  ", time_stack(4, arguments.rows, launch), flush=True)


if __name__ == "__main__":
    main()
