"""A page of a list, with the number of all items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from .types import Credits, Statement

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    items: list[T]
    total: int

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class CreditsPage(Credits):
    total: int
    """Number of all ledger entries."""


class StatementPage(Statement):
    total: int
    """Number of all lines."""
