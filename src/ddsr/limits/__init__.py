"""Rewriting what a fit has driven to a limit in which one operator imitates another."""

from ddsr.limits.rewriter import LimitRewriter, rewritten

__all__ = ["LimitRewriter", "rewritten"]
