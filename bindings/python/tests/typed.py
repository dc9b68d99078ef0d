"""Uses of both packages, right and wrong, for mypy: scripts/test-bindings python checks them, and this is not run."""

import array

import ckzg
import parcrypt
from parcrypt import kzg


def progress(done: int, total: int) -> None: ...


setup: kzg.Settings = kzg.Settings("setup.txt", threads=2, tables_mib=34)
blobs = [bytes(131072), bytes(131072)]
commitments: list[bytes] = setup.commitments(blobs, progress=progress)
commitments = setup.commitments([bytearray(131072), memoryview(bytes(131072))])
cells, proofs = setup.cells_and_proofs(array.array("Q", bytes(131072)))
recovered: list[tuple[list[bytes], list[bytes]]] = setup.recover_many([(range(64), cells[:64])])
handle: kzg.BlobCells = kzg.BlobCells.from_bytes(setup, kzg.BlobCells(setup, blobs[0]).to_bytes())
some: list[bytes] = handle.cells([3, 77]) + setup.cells_subset(blobs[0], range(3))
verifier: kzg.CellVerifier = kzg.CellVerifier(setup, commitments)
verifier.add([(0, 1, cells[1], proofs[1])])
verdict: tuple[list[tuple[int, int]], list[tuple[int, int, str]]] = verifier.verify_within(0.005)
verified: bool = setup.verify_cells(commitments, [1], cells, proofs)
wrong: list[tuple[int, str | None]] = setup.wrong_cells(commitments, [1], cells, proofs)
key: bytes = parcrypt.scrypt(bytearray(b"word"), salt=memoryview(b"salt"), n=16, r=1, p=1, progress=print)
tag: bytes = parcrypt.vmac(bytes(16), bytes(8), b"", tag_bits=128, threads=0)

setup.commitment("text")  # type: ignore[arg-type]
setup.commitments(bytes(131072))  # type: ignore[arg-type]
setup.commitments(blobs, progress=lambda done: None)  # type: ignore[arg-type, misc]
handle.cells(["1"])  # type: ignore[list-item]
verifier.add([(0, "1", cells[1], proofs[1])])  # type: ignore[list-item]
setup.recover([1.5], cells)  # type: ignore[list-item]
setup.threads = 3  # type: ignore[misc]
parcrypt.gmac(bytes(16), bytes(12), 7)  # type: ignore[arg-type]
parcrypt.scrypt(b"", salt=None, n=16, r=1, p=1)  # type: ignore[arg-type]

original: ckzg.KZGSettings = ckzg.load_trusted_setup("setup.txt", 0)
commitment: bytes = ckzg.blob_to_kzg_commitment(blobs[0], original)
ckzg.blob_to_kzg_commitment(blobs[0], setup)  # type: ignore[arg-type]
ckzg.verify_cell_kzg_proof_batch([commitment], (1,), [cells[1]], [proofs[1]], original)  # type: ignore[arg-type]
ckzg.compute_cells(blob=blobs[0], trusted_setup=original)  # type: ignore[call-arg]
