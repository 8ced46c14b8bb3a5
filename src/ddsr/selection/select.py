"""Final choice: shortens the best candidates while their description length falls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf

from ddsr.engine import Engine
from ddsr.errors import ExpressionError
from ddsr.expression import OPERATORS, Expression, Kind, Node, Vocabulary
from ddsr.price.model import Model
from ddsr.price.rounding import EXACT, SAME_ERROR
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.handing_out import handed_out
from ddsr.selection.judge import ROUND_STEPS, ROUND_TOLERANCE, Judge
from ddsr.selection.judged import IsAllowed, Judged, Selected, best_of_each, is_shorter, length_of, rank_of
from ddsr.selection.notation import rewritten, with_exponentials
from ddsr.selection.samples import Samples

# The best first move does not always lead to the shortest model. A model whose error alone costs more than
# all of another model cannot win. It is still shortened, to read well, but with a beam of one.
BEAM_WIDTH = 3
N_AT_ONCE = 3
SHARE_OF_START = 0.4  # share of the time for refits of the given candidates, likeliest first
SHARE_OF_ROUNDS = 0.75  # share of the time left for the rounds; the rest is for the notation of the best
N_RATIONAL = 3  # models that are rewritten as ratios of polynomials
# If two notations of a function differ by fewer nats, the plainer one is used. The limit is higher for one
# that names variables fewer times: m / sqrt(1 - v^2 / c^2) is plainer than c * m / sqrt(c^2 - v^2).
NATS_FOR_PLAINNESS = 1.0
NATS_FOR_FEWER_VARIABLES = 6.0
# A form stays listed next to a shorter one made from it if it is longer by at most this.
NATS_OF_RIVALS = 7.0
LEAST_BETTER = 0.01  # relative gain in NRMSE that lists a candidate that was not shortened


def select(
    candidates: Iterable[Expression],
    engine: Engine,
    n_shortest: int = 8,
    n_most_accurate: int = 3,
    *,
    deadline: float = inf,
    is_allowed: IsAllowed | None = None,
    models: Sequence[Model] = (),
    samples: Samples | None = None,
) -> tuple[Selected, ...]:
    """Return the candidates by rising description length; the first is the choice.

    Candidates that are undefined between the rows, or have a pole there, rank first only with half the error
    of the others.

    All are refitted on all rows. The `n_shortest` with the least description length and the `n_most_accurate`
    are shortened while the length falls: constants become simple numbers, terms and factors are dropped, and
    the best are cancelled as ratios of polynomials. No candidate becomes longer. A candidate that is nearly
    as short as the model made from it stays listed. `models` are candidates with fixed constants.
    `deadline` is on the monotonic clock; the results known by then are returned. Nothing that `is_allowed`
    refuses is made from a candidate. `samples` of the engine can be passed from one choice to the next.
    """
    judge = Judge(engine, deadline, is_allowed, samples)
    free = [Model.free(expression) for expression in _in_one_vocabulary(candidates, engine)]
    rewritten = (Model.of_tree(free[0].expression.vocabulary, model.tree) for model in models)
    given_models = free + [model for model in rewritten if model is not None]
    with judge.hurried(SHARE_OF_START):
        judged = judge.start(given_models)
    if not judged:
        raise ExpressionError("no candidate has a finite value on every row: there is nothing to select")
    fixed = judge.fixed_together(judged)
    ranked = sorted(judged, key=lambda one: rank_of(fixed.get(one.model.key) or one))
    first, others = _different(ranked, n_shortest)
    by_error = sorted(others, key=lambda one: max(one.nrmse, judge.least_nrmse))
    given, rest = first + by_error[:n_most_accurate], by_error[n_most_accurate:]
    chosen: list[Judged] = []
    with judge.hurried(SHARE_OF_ROUNDS):
        for begin in range(0, len(given), N_AT_ONCE):  # likeliest first, in case time runs out
            some = given[begin : begin + N_AT_ONCE]
            shortest = min((one.length for one in chosen), default=inf)
            # models that cannot win stay as they are
            rest += [one for one in some if judge.length_of_data(one) > shortest]
            some = [one for one in some if judge.length_of_data(one) <= shortest]
            chosen += _shorten_both(some, fixed, judge)
    chosen = _cancelled(chosen, judge)
    chosen = [_with_moved_constants(one, judge) for one in _with_simple_rates(chosen, judge)]
    chosen = judge.polish(chosen)
    # a + b * x may explain the data nearly as well as b * x, which was made from it
    longest = min(map(rank_of, chosen), default=inf) + NATS_OF_RIVALS
    rest = [fixed.get(one.model.key, one) for one in rest] + [one for one in given if one.rank <= longest]
    chosen = judge.tidied(best_of_each(chosen + rest))
    ranked = sorted(best_of_each(chosen), key=rank_of)
    return handed_out(ranked, engine, is_allowed, n_written=1 if judge.is_late else None)


def front_of(
    found: Sequence[Selected], left_out: Iterable[FrontEntry] = ()
) -> tuple[ParetoFront, FrontEntry]:
    """Return the selected equations as a Pareto front, and the choice.

    The choice stays even if a smaller equation has a lower error. New entries of `left_out` are added.
    """
    entries = [one.entry for one in found]
    chosen, least_error, front = entries[0], inf, []
    as_found = [FrontEntry(entry.equation, entry.nrmse) for entry in left_out]
    for entry in sorted([*entries, *as_found], key=lambda each: (each.size, each.nrmse)):
        # another notation of the choice differs by rounding
        is_twin = entry.size == chosen.size and entry.nrmse >= (1.0 - SAME_ERROR) * chosen.nrmse
        bar = least_error if entry.nats is not None else (1.0 - LEAST_BETTER) * least_error
        if entry is chosen or (max(entry.nrmse, EXACT) < bar and not is_twin):
            front.append(entry)
            least_error = min(least_error, max(entry.nrmse, EXACT))
    return ParetoFront(tuple(front)), chosen


def _shorten(starts: list[list[Judged]], judge: Judge) -> list[Judged]:
    """Return the shortest model that each list of models leads to.

    In each round, the few moves that shorten a model most are followed, each on its own, until none does.
    """
    best = [min(models, key=rank_of) for models in starts]
    beams = list(starts)
    tried: dict[object, Judged | None] = {}
    while any(beams) and not judge.is_late:
        moves = [[(one, other) for one in beam for other in judge.alternatives(one)] for beam in beams]
        tried |= _measured([move for beam in moves for move in beam], tried, judge)
        for lineage, beam in enumerate(moves):
            shorter = []
            for one, other in beam:
                judged = tried.get(other.key)
                if judged is not None and judged.is_audited and is_shorter(judged, one):
                    shorter.append(judged)
            beams[lineage] = sorted(best_of_each(shorter), key=rank_of)
            best[lineage] = min([best[lineage], *beams[lineage]], key=rank_of)
        shortest = min((one.length for one in best), default=inf)
        for lineage, one in enumerate(best):
            width = 1 if judge.length_of_data(one) > shortest else BEAM_WIDTH
            beams[lineage] = beams[lineage][:width]
    return best


def _measured(
    moves: Sequence[tuple[Judged, Model]], tried: dict[object, Judged | None], judge: Judge
) -> dict[object, Judged | None]:
    """Return, by key, the measured results of moves, without those already known to be no shorter."""
    longest: dict[object, float] = {}
    models: dict[object, Model] = {}
    for one, other in moves:
        known = tried.get(other.key)
        is_known = other.key in tried and (known is None or known.is_audited or known.length >= one.length)
        if not is_known:
            models[other.key] = other
            longest[other.key] = max(one.length, longest.get(other.key, -inf))
    found = judge.measure(list(models.values()), ROUND_STEPS, ROUND_TOLERANCE, longest)
    return dict.fromkeys(models) | {one.model.key: one for one in found}


def _shorten_both(models: list[Judged], fixed: dict[object, Judged], judge: Judge) -> list[Judged]:
    """Shorten each model from its own form and, if there is one, from its form with fixed constants."""
    partners = [fixed.get(one.model.key) for one in models]
    starts = [
        [one] if partner is None else [one, partner] for one, partner in zip(models, partners, strict=True)
    ]
    return _shorten(starts, judge)


def _different(ranked: Sequence[Judged], n: int) -> tuple[list[Judged], list[Judged]]:
    """Return the first `n` different functions, and the rest; equal errors count as the same function."""
    first: list[Judged] = []
    others: list[Judged] = []
    for one in ranked:
        is_known = any(abs(one.nrmse - known.nrmse) <= SAME_ERROR * known.nrmse for known in first)
        (others if is_known or len(first) == n else first).append(one)
    return first, others


def _cancelled(models: list[Judged], judge: Judge) -> list[Judged]:
    """Return the models, with the best few rewritten as the plainest of their shortest rational forms."""
    ranked = sorted(models, key=rank_of)
    for place, one in enumerate(ranked[:N_RATIONAL]):
        if judge.is_late:
            break
        forms = [one, *judge.rational_forms(one)]
        forms = [form for form in forms if form.is_finite_between_rows >= one.is_finite_between_rows]
        best = min(forms, key=length_of)
        tied = [form for form in forms if _is_another_notation(form, best)]
        ranked[place] = replace(_plainest(tied, best, judge), length=best.length)
    return ranked


def _plainest(tied: Sequence[Judged], best: Judged, judge: Judge) -> Judged:
    """Return the notation that reads best; the shortest if there is no time."""
    plainest, plainness = best, None
    for form in tied if len(tied) > 1 else ():
        if judge.is_late:
            break
        its = _plainness(rewritten(form.model, judge.is_allowed).expression)
        if plainness is None or its < plainness:
            plainest, plainness = form, its
    return plainest


def _is_another_notation(form: Judged, best: Judged) -> bool:
    """Return whether a form is nearly as short as the best one, with as few constants."""
    has_no_more = len(form.model.free_constants) <= len(best.model.free_constants)
    its, others = form.model.expression, best.model.expression
    is_plainer = _n_variables(its) < _n_variables(others) and _n_backwards(its) <= _n_backwards(others)
    most = NATS_FOR_FEWER_VARIABLES if is_plainer else NATS_FOR_PLAINNESS
    return has_no_more and form.length <= best.length + most


def _with_simple_rates(models: list[Judged], judge: Judge) -> list[Judged]:
    """Show powers c^f of a fitted base as exp(k * f), with a simple k if that is shorter.

    This is a matter of notation, so the description length does not rise.
    """
    rewritten = {one.model.key: with_exponentials(one.model) for one in models}
    changed = [model for key, model in rewritten.items() if model.key != key]
    begun = judge.measure(changed, ROUND_STEPS, ROUND_TOLERANCE)
    ended = zip(begun, _shorten([[one] for one in begun], judge), strict=True)
    found = {one.model.key: end for one, end in ended}
    fixed = []
    for one in models:
        end = found.get(rewritten[one.model.key].key, one)
        is_as_finite = end.is_finite_between_rows >= one.is_finite_between_rows
        fixed.append(replace(end, length=min(one.length, end.length)) if is_as_finite else one)
    return fixed


def _with_moved_constants(one: Judged, judge: Judge) -> Judged:
    """Move constants to where they are simple numbers, as in exp(x - 1.7), and shorten further from there.

    This comes last because ratios of polynomials are best written with a constant in front of each term.
    """
    while not judge.is_late:
        moves = [(one, other) for other in judge.with_moved_constants(one)]
        found = [other for other in _measured(moves, {}, judge).values() if other is not None]
        shorter = [other for other in found if other.is_audited and is_shorter(other, one)]
        if not shorter:
            break
        one = _shorten([[min(shorter, key=rank_of)]], judge)[0]
    return one


def _plainness(expression: Expression) -> tuple[int, int, int]:
    """Return a key, lower for plainer notation: variables, awkward operations, nodes of the SymPy form."""
    return _n_variables(expression), sum(map(_reads_backwards, _nodes(expression))), expression.complexity()


def _n_backwards(expression: Expression) -> int:
    """Return how many nodes read backwards; v²/c² in 1 − v²/c² does not."""
    nodes = _nodes(expression)
    from_one = [node for node in nodes if node.operation == "sub" and node.children[0].kind is Kind.ONE]
    n_ratios = sum(node.children[1].operation == "div" for node in from_one)
    return sum(map(_reads_backwards, nodes)) - n_ratios


def _nodes(expression: Expression) -> list[Node]:
    nodes = [expression.tree]
    for node in nodes:  # grows while it is walked
        nodes.extend(node.children)
    return nodes


def _n_variables(expression: Expression) -> int:
    """Return how many times the expression names a variable."""
    return sum(token >= expression.vocabulary.first_variable for token in expression.tokens)


def _reads_backwards(node: Node) -> bool:
    """Return whether a node reads backwards, as v²/c √(c²/v² − 1) compared with v √(1 − v²/c²)."""
    if node.operation in ("div", "inverse"):
        return True
    if node.operation not in ("pow", "sub"):
        return False
    second = node.children[1]
    is_number = second.kind in (Kind.CONSTANT, Kind.ONE)
    return is_number and (second.value < 0.0 if node.operation == "pow" else second.value == 1.0)


def _in_one_vocabulary(candidates: Iterable[Expression], engine: Engine) -> list[Expression]:
    """Return the candidates over one vocabulary with all their operators and those of scale and offset."""
    listed = list(candidates)
    if not listed:
        raise ExpressionError("give at least one candidate to select from")
    vocabularies = [engine.vocabulary, *(expression.vocabulary for expression in listed)]
    used = {name for vocabulary in vocabularies for name in vocabulary.operators}
    own = {each.name: each for vocabulary in vocabularies for each in vocabulary.own}
    common = Vocabulary(
        engine.vocabulary.variables,
        [*(name for name in OPERATORS if name in used), *own.values()],
        has_one=any(vocabulary.has_one for vocabulary in vocabularies),
        has_constant=any(vocabulary.has_constant for vocabulary in vocabularies),
        template=engine.vocabulary.template,
    )
    return [Expression.from_tree(common, expression.tree) for expression in listed]
