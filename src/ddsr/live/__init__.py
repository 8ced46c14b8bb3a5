"""Live views of a search: callbacks that take a `SearchState` after every epoch."""

from ddsr.live.lines import PlainView
from ddsr.live.notebook import NotebookView
from ddsr.live.tensorboard import TensorBoardLog
from ddsr.live.terminal import TerminalView

__all__ = ["NotebookView", "PlainView", "TensorBoardLog", "TerminalView"]
