"""Writes the tables of the structure code that the package ships; `ddsr.price` reads them."""

from __future__ import annotations

from ddsr import _core
from ddsr.price.structure_code import CHOICES, FORMS, LISTED, NUMBER_PLACES, NUMBERS, Choice, Counts, Form
from ddsr.price.table_code import MOST_COLUMNS, OF_COLUMNS, WIDTHS, Reading


def write_tables(fitted: Reading, columns: Reading) -> dict[str, str]:
    """The tables of both codes, by file name."""
    texts = write_counts(Counts.of(fitted.described))
    texts |= {OF_COLUMNS + name: text for name, text in write_counts(Counts.of(columns.described)).items()}
    widths = range(1, MOST_COLUMNS + 1)
    texts[WIDTHS] = "".join(f"{n}\t{fitted.widths[n]}\t{columns.widths[n]}\n" for n in widths)
    return texts


def write_counts(counts: Counts) -> dict[str, str]:
    """The tables of counts, by file name."""
    lines = sorted("\t".join((*_names(choice), str(n))) for choice, n in counts.choices.items())
    values = sorted((NUMBER_PLACES[place], value, n) for (place, value), n in counts.numbers.items())
    forms = sorted((-n, _words(form)) for form, n in counts.forms.items())
    return {
        CHOICES: "".join(f"{line}\n" for line in lines),
        NUMBERS: "".join(f"{place}\t{value!r}\t{n}\n" for place, value, n in values),
        FORMS: "".join(f"{-n}\t{words}\n" for n, words in forms),
    }


def _names(choice: Choice) -> tuple[str, ...]:
    is_listed, first, second, third, chosen = choice
    if is_listed:
        return ("sum", "product")[first], LISTED[second], _core.PLACES[third], LISTED[chosen]
    return "symbol", _core.PLACES[first], _core.PLACES[second], _core.SYMBOLS[chosen]


def _words(form: Form) -> str:
    """The symbols of a form in the order of the code, with numbers and variables in their places."""
    chosen, numbers, variables = form
    values, columns = map(repr, numbers), (f"x{column}" for column in variables)
    words = []
    for symbol in chosen:
        name = LISTED[symbol]
        sign, bare = ("-", name[1:]) if name.startswith("-") else ("", name)
        if bare == "number":
            words.append(f"{sign}#{next(values)}")
        else:
            words.append(f"{sign}{next(columns)}" if bare == "variable" else name)
    return " ".join(words)
