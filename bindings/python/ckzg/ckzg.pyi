"""KZG commitments of EIP-4844 and EIP-7594, with the API of c-kzg-4844's Python binding, by Parcrypt."""

from typing import final

@final
class KZGSettings:
    """A trusted setup with its tables."""

def load_trusted_setup(path: str, precompute: int, /) -> KZGSettings:
    """Load a trusted setup from a file. `precompute`, from 0 to 15, bounds the memory of tables."""

def blob_to_kzg_commitment(blob: bytes, trusted_setup: KZGSettings, /) -> bytes:
    """Return the commitment to a blob."""

def compute_kzg_proof(blob: bytes, z: bytes, trusted_setup: KZGSettings, /) -> tuple[bytes, bytes]:
    """Return the proof of the value of a blob's polynomial at z, and the value."""

def compute_blob_kzg_proof(blob: bytes, commitment: bytes, trusted_setup: KZGSettings, /) -> bytes:
    """Return the proof that a commitment is the commitment to a blob."""

def verify_kzg_proof(commitment: bytes, z: bytes, y: bytes, proof: bytes, trusted_setup: KZGSettings, /) -> bool:
    """Return whether the polynomial of a commitment has the value y at z."""

def verify_blob_kzg_proof(blob: bytes, commitment: bytes, proof: bytes, trusted_setup: KZGSettings, /) -> bool:
    """Return whether a commitment is the commitment to a blob."""

def verify_blob_kzg_proof_batch(blobs: bytes, commitments: bytes, proofs: bytes, trusted_setup: KZGSettings, /) -> bool:
    """Return whether all commitments are the commitments to their blobs. Each list is one bytes object."""

def compute_cells(blob: bytes, trusted_setup: KZGSettings, /) -> list[bytes]:
    """Return the 128 cells of a blob and its extension."""

def compute_cells_and_kzg_proofs(blob: bytes, trusted_setup: KZGSettings, /) -> tuple[list[bytes], list[bytes]]:
    """Return the 128 cells of a blob and its extension, and the proof of each."""

def recover_cells_and_kzg_proofs(
    cell_indices: list[int], cells: list[bytes], trusted_setup: KZGSettings, /
) -> tuple[list[bytes], list[bytes]]:
    """Return all 128 cells and their proofs from at least 64 cells with rising indices."""

def verify_cell_kzg_proof_batch(
    commitments: list[bytes], cell_indices: list[int], cells: list[bytes], proofs: list[bytes], trusted_setup: KZGSettings, /
) -> bool:
    """Return whether each cell belongs to its commitment at its index."""
