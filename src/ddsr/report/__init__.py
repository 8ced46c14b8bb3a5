"""Pages on a fitted model: a report of its own, and what a notebook shows."""

from ddsr.report.facts import Background
from ddsr.report.notebook import notebook_html
from ddsr.report.page import report_html, write_report

__all__ = ["Background", "notebook_html", "report_html", "write_report"]
