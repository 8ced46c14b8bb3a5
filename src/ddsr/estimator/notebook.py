"""Notebook view of an estimator: scikit-learn's diagram before a fit, the equations after it."""

from __future__ import annotations

from typing import Any

from ddsr.report import notebook_html


class NotebookDisplay:
    """A mixin to put before `BaseEstimator`."""

    def _repr_html_inner(self) -> str:
        if not hasattr(self, "front_"):
            return str(super()._repr_html_inner())  # type: ignore[misc]
        return notebook_html(self)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        return bundle | {"text/html": self._repr_html_inner()} if "text/html" in bundle else bundle
