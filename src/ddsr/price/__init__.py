"""What an equation costs, in nats: its structure, its constants, and the data given its predictions."""

from ddsr.price.structure_code import StructureCode, Told

__all__ = ["StructureCode", "Told"]
