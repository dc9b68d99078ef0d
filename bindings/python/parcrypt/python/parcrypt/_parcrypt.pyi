from collections.abc import Callable, Sequence
from os import PathLike
from typing import TypeAlias, final

# In collections.abc from Python 3.12 on. Checkers of types know it here without an installation.
from typing_extensions import Buffer

__version__: str

_Progress: TypeAlias = Callable[[int, int], object]

@final
class Settings:
    """A trusted setup with its tables and threads."""

    def __new__(
        cls,
        path: str | PathLike[str] | None = None,
        *,
        threads: int = 1,
        tables_mib: int = 0,
        backends: str = "",
        shadow: str | None = None,
    ) -> Settings: ...
    @property
    def shadow_counts(self) -> tuple[int, int, int]: ...
    @property
    def threads(self) -> int: ...
    def commitment(self, blob: Buffer) -> bytes: ...
    def proof(self, blob: Buffer, z: Buffer) -> tuple[bytes, bytes]: ...
    def blob_proof(self, blob: Buffer, commitment: Buffer) -> bytes: ...
    def cells(self, blob: Buffer) -> list[bytes]: ...
    def cells_and_proofs(self, blob: Buffer) -> tuple[list[bytes], list[bytes]]: ...
    def recover(self, indices: Sequence[int], cells: Sequence[Buffer]) -> tuple[list[bytes], list[bytes]]: ...
    def cells_subset(self, blob: Buffer, indices: Sequence[int]) -> list[bytes]: ...
    def cells_and_proofs_subset(self, blob: Buffer, indices: Sequence[int]) -> tuple[list[bytes], list[bytes]]: ...
    def cells_subset_many(
        self, blobs: Sequence[Buffer], indices: Sequence[int], *, progress: _Progress | None = None
    ) -> list[list[bytes]]: ...
    def recover_subset(
        self, indices: Sequence[int], cells: Sequence[Buffer], wanted: Sequence[int]
    ) -> list[bytes]: ...
    def recover_with_proofs_subset(
        self, indices: Sequence[int], cells: Sequence[Buffer], wanted: Sequence[int]
    ) -> tuple[list[bytes], list[bytes]]: ...
    def commitments(self, blobs: Sequence[Buffer], *, progress: _Progress | None = None) -> list[bytes]: ...
    def blob_proofs(
        self, blobs: Sequence[Buffer], commitments: Sequence[Buffer], *, progress: _Progress | None = None
    ) -> list[bytes]: ...
    def cells_and_proofs_many(
        self, blobs: Sequence[Buffer], *, progress: _Progress | None = None
    ) -> list[tuple[list[bytes], list[bytes]]]: ...
    def recover_many(
        self, samples: Sequence[tuple[Sequence[int], Sequence[Buffer]]], *, progress: _Progress | None = None
    ) -> list[tuple[list[bytes], list[bytes]]]: ...
    def verify_proof(self, commitment: Buffer, z: Buffer, y: Buffer, proof: Buffer) -> bool: ...
    def verify_blob(self, blob: Buffer, commitment: Buffer, proof: Buffer) -> bool: ...
    def verify_blobs(
        self, blobs: Sequence[Buffer], commitments: Sequence[Buffer], proofs: Sequence[Buffer]
    ) -> bool: ...
    def verify_cells(
        self,
        commitments: Sequence[Buffer],
        indices: Sequence[int],
        cells: Sequence[Buffer],
        proofs: Sequence[Buffer],
    ) -> bool: ...

@final
class BlobCells:
    """A blob that keeps what was computed of it."""

    def __new__(cls, settings: Settings, blob: Buffer) -> BlobCells: ...
    @staticmethod
    def from_cells(settings: Settings, indices: Sequence[int], cells: Sequence[Buffer]) -> BlobCells: ...
    @staticmethod
    def from_bytes(settings: Settings, data: Buffer) -> BlobCells: ...
    def to_bytes(self) -> bytes: ...
    def blob(self) -> bytes: ...
    def cells(self, indices: Sequence[int]) -> list[bytes]: ...
    def proofs(self, indices: Sequence[int]) -> list[bytes]: ...
    @property
    def memory(self) -> int: ...

def scrypt(
    password: Buffer,
    *,
    salt: Buffer,
    n: int,
    r: int,
    p: int,
    maxmem: int = 0,
    dklen: int = 64,
    threads: int = 1,
    lanes: int = 0,
    allow_n_beyond_rfc: bool = False,
    progress: _Progress | None = None,
) -> bytes: ...
def scrypt_many(
    passwords: Sequence[Buffer],
    salts: Sequence[Buffer],
    *,
    n: int,
    r: int,
    p: int,
    maxmem: int = 0,
    dklen: int = 64,
    threads: int = 1,
    lanes: int = 0,
    allow_n_beyond_rfc: bool = False,
    progress: _Progress | None = None,
) -> list[bytes]: ...
def gmac(key: Buffer, nonce: Buffer, message: Buffer, *, threads: int = 1) -> bytes: ...
def vmac(key: Buffer, nonce: Buffer, message: Buffer, *, tag_bits: int = 64, threads: int = 1) -> bytes: ...
