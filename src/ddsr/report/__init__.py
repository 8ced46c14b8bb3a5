"""Pages about a fitted model: its report, and its view in a notebook."""

from ddsr.report.facts import Background
from ddsr.report.notebook import notebook_html
from ddsr.report.page import report_html, write_report

__all__ = ["Background", "notebook_html", "report_html", "write_report"]
