"""The equations of a front in all formats that a page shows or copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ddsr.errors import ExpressionError
from ddsr.expression import Expression
from ddsr.expression.printing import SHORT_PRECISION, Precision
from ddsr.expression.python_source import argument_names, to_python
from ddsr.report.mathml import to_mathml
from ddsr.report.model import FittedModel
from ddsr.search.front import FrontEntry

MOST_ROWS = 10  # rows listed by number


@dataclass(frozen=True)
class ShownEquation:
    """One equation of the front."""

    index: int
    """the row in `equations_`"""
    complexity: int
    loss: float
    r2: float
    is_chosen: bool
    expression: Expression
    typeset: Any
    """markup"""
    precision: Precision = SHORT_PRECISION
    """significant digits of the constants in `short_text`"""

    @property
    def short_text(self) -> str:
        """Infix, with rounded constants."""
        return self.expression.text(self.precision)

    @property
    def label(self) -> str:
        """Text alternative of the equation's point in the chart of the front, for screen readers."""
        label = f"complexity {self.complexity}, R² {self.r2_text}: {self.short_text}"
        return f"chosen equation, {label}" if self.is_chosen else label

    @property
    def definitions(self) -> list[str]:
        """User-defined operators in the equation."""
        return [own.text for own in self.expression.own_operators]

    @property
    def exact_text(self) -> str:
        """Infix, with all digits."""
        return self.expression.text()

    @property
    def r2_text(self) -> str:
        """R² with enough digits to compare good fits."""
        return r2_text(self.r2)

    @property
    def loss_text(self) -> str:
        """The loss, rounded."""
        return number_text(self.loss)

    @property
    def script_data(self) -> dict[str, Any]:
        """Data for the page's script: what it shows, and what it copies as code with all digits."""
        copies = {
            "Python": written_or_reason(to_python, self.expression),
            "LaTeX": self.expression.to_latex(),
            "SymPy": written_or_reason(sympy_source, self.expression),
        }
        texts = {"r2": self.r2_text, "text": self.short_text, "exact": self.exact_text, "copies": copies}
        return {"complexity": self.complexity, "is_chosen": self.is_chosen, **texts}


def written_or_reason(write: Callable[[Expression], str], expression: Expression) -> str:
    """Return the expression in another format, or a comment on what the format needs."""
    try:
        return write(expression)
    except ExpressionError as error:
        return f"# {error}\n"


def shown_equations(model: FittedModel, target: str) -> list[ShownEquation]:
    """Return the equations of the front by increasing size."""
    table = model.equations_
    rows = zip(*(table[name] for name in ("complexity", "loss", "r2", "is_best")), strict=True)
    return [
        ShownEquation(
            index,
            int(size),
            float(loss),
            float(r2),
            bool(is_best),
            entry.equation,
            typeset(entry, target),
            entry.precision,
        )
        for index, ((size, loss, r2, is_best), entry) in enumerate(
            zip(rows, model.front_.entries, strict=True)
        )
    ]


def typeset(entry: FrontEntry, target: str) -> Any:
    """Return the typeset equation as markup, labelled with its text."""
    from markupsafe import Markup

    markup = Markup(to_mathml(entry.equation, target, entry.precision))
    span = Markup('<span class="equation" role="math" aria-label="{}">{}</span>')
    return span.format(f"{target} = {entry.equation.text(entry.precision)}", markup)


def sympy_source(expression: Expression) -> str:
    """Return Python code that creates the SymPy expression, with column names as symbols."""
    import sympy
    from sympy.printing.pycode import SymPyPrinter

    class Printer(SymPyPrinter):  # type: ignore[misc]
        def _print_Rational(self, number: sympy.Rational) -> str:
            return f"sympy.Rational({number.p}, {number.q})"  # 1/3 would be a float

        def _print_Float(self, number: sympy.Float) -> str:
            return repr(float(number))  # all digits instead of fifteen

    variables = expression.vocabulary.variables
    arguments = dict(zip(variables, argument_names(variables), strict=True))
    form = expression.to_sympy()
    used = [name for name in variables if sympy.Symbol(name) in form.free_symbols]
    # an argument named sympy would hide the module
    renamed = {name: arguments[name] if arguments[name] != "sympy" else "sympy_" for name in used}
    form = form.xreplace({sympy.Symbol(name): sympy.Symbol(renamed[name]) for name in used})
    lines = ["import sympy", ""]
    lines += [f"{renamed[name]} = sympy.Symbol({name!r})" for name in used]
    source = Printer({"fully_qualified_modules": True}).doprint(form)
    # a plain Python number cannot be differentiated, printed as LaTeX, …
    return "\n".join([*lines, f"equation = {source if used else f'sympy.sympify({source})'}"]) + "\n"


def r2_text(r2: float) -> str:
    """Format R²: 0.93, 0.99987, 1 − 3·10⁻¹²."""
    rest = 1.0 - r2
    if rest <= 0.0:
        return "1"
    if rest < 1e-6:
        return f"1 − {number_text(rest, 1)}"
    n_digits = 4 if rest > 1e-3 else 7
    return f"{r2:.{n_digits}f}".replace("-", "−")


def rows_text(rows: Sequence[int]) -> str:
    """Format row numbers as in "rows 7, 12"; a long list ends with the number of the others."""
    more = f" and {len(rows) - MOST_ROWS:,} more" if len(rows) > MOST_ROWS else ""
    return f"row{'s' * (len(rows) > 1)} {', '.join(map(str, rows[:MOST_ROWS]))}{more}"


def number_text(value: float, precision: int = SHORT_PRECISION) -> str:
    """Format a rounded number with a proper minus sign and power of ten."""
    mantissa, _, exponent = f"{value:.{precision}g}".partition("e")
    text = f"{mantissa}·10{raised(int(exponent))}" if exponent else mantissa
    return text.replace("-", "−")


def chosen_of(equations: Sequence[ShownEquation]) -> ShownEquation:
    """Return the chosen equation."""
    return next(equation for equation in equations if equation.is_chosen)


def raised(power: int) -> str:
    """Write an exponent."""
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
