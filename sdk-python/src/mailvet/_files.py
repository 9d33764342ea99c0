"""Files as a multipart form, read while they are sent."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, TypeAlias, cast

Content: TypeAlias = bytes | IO[bytes]
UploadFile: TypeAlias = str | os.PathLike[str] | Content | tuple[str, Content]
"""A path, bytes, an open binary file, or a name with one of the latter two."""

FormField: TypeAlias = tuple[str, tuple[str, Content]]

DEFAULT_NAME = "list.csv"


@dataclass
class Upload:
    """Opened for each attempt. httpx sends a file from its beginning; a stream that cannot be rewound is sent once."""

    files: Sequence[UploadFile]

    @property
    def is_repeatable(self) -> bool:
        contents = [file[1] if isinstance(file, tuple) else file for file in self.files]
        return all(isinstance(one, (str, os.PathLike, bytes)) or one.seekable() for one in contents)

    @contextmanager
    def open(self) -> Iterator[list[FormField]]:
        with ExitStack() as stack:
            yield [("file", _named(file, stack)) for file in self.files]


def _named(file: UploadFile, stack: ExitStack) -> tuple[str, Content]:
    if isinstance(file, tuple):
        return file[0], _sized_or_stream(file[1])
    if isinstance(file, (str, os.PathLike)):
        return os.path.basename(file), _sized_or_stream(stack.enter_context(open(file, "rb")))
    name = getattr(file, "name", None)
    return os.path.basename(name) if isinstance(name, str) else DEFAULT_NAME, _sized_or_stream(file)


class _Stream:
    """Hides the file descriptor of a pipe: httpx would declare its size, which is 0."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.read = stream.read


def _sized_or_stream(content: Content) -> Content:
    return content if isinstance(content, bytes) or content.seekable() else cast(IO[bytes], _Stream(content))


def upload_of(file: UploadFile | Sequence[UploadFile]) -> Upload:
    return Upload(cast(Sequence[UploadFile], file) if is_several(file) else [cast(UploadFile, file)])


def is_several(file: object) -> bool:
    """Whether these are several files."""
    return isinstance(file, Sequence) and not isinstance(file, (str, bytes, tuple))
