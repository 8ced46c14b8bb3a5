import pytest
import torch

from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.grammar import AtMost, Grammar, MustAppear, Nesting
from ddsr_bench.stacking.support import suits_network
from ddsr_bench.stacking.tables import StackedTables, suits_fill
from grammar_cases import PLAIN, UNARY, USUAL, WIDE
from stacking_cases import GRAMMARS, LENGTH

CPU = torch.device("cpu")


def test_the_preset_can_be_stacked():
    assert suits_network(PaperConfig().denoiser)
    assert suits_fill(Grammar(USUAL))


@pytest.mark.parametrize(
    "settings",
    [{"width": 12}, {"width": 128}, {"n_heads": 2}, {"n_decoder_layers": 2}, {"feed_forward_width": 100}],
    ids=str,
)
def test_other_networks_cannot(settings):
    assert not suits_network(DenoiserConfig(**settings))


@pytest.mark.parametrize(
    "grammar",
    [
        Grammar(PLAIN, max_length=65),
        Grammar(WIDE),
        Grammar(PLAIN, rules=[MustAppear("x")]),
        Grammar(PLAIN, rules=[AtMost("x", 3)]),
        Grammar(
            UNARY, rules=[AtMost(name, 2) for name in ("sin", "cos", "exp", "log", "neg", "sqrt", "square")]
        ),
        Grammar(UNARY, 32, 10, [Nesting(name, name, 9) for name in ("sin", "exp", "sqrt")]),
    ],
    ids=["length", "vocabulary", "required", "limited", "uses", "contexts"],
)
def test_other_grammars_cannot(grammar):
    assert not suits_fill(grammar)
    tables = StackedTables(1, 64, grammar.max_length, CPU)
    with pytest.raises(ValueError, match="does not support all rules"):
        tables.load(0, grammar)


def test_grammars_of_a_stack_share_its_size():
    with pytest.raises(ValueError, match="the stack takes 9 and 16"):
        StackedTables(1, 9, 16, CPU).load(0, GRAMMARS[0])
    with pytest.raises(ValueError, match=f"the stack takes 3 and {LENGTH}"):
        StackedTables(1, 3, LENGTH, CPU).load(0, GRAMMARS[0])
