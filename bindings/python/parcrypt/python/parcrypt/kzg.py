"""KZG commitments of EIP-4844 and EIP-7594: blobs, cells, their proofs, recovery and verification."""

from ._parcrypt import BlobCells, CellVerifier, Settings

__all__ = ["BlobCells", "CellVerifier", "Settings"]
