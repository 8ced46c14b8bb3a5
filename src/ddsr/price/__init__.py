"""Cost of an equation in nats: its structure, its constants, and the data given its predictions."""

from ddsr.price.structure_code import Description, StructureCode
from ddsr.price.table_code import TableCode

__all__ = ["StructureCode", "TableCode", "Description"]
