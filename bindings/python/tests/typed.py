"""Uses of ckzg, right and wrong, for mypy: scripts/test-bindings python checks them, and this is not run."""

import ckzg

setup: ckzg.KZGSettings = ckzg.load_trusted_setup("setup.txt", 0)
blob, cell = bytes(131072), bytes(2048)
commitment: bytes = ckzg.blob_to_kzg_commitment(blob, setup)
ckzg.blob_to_kzg_commitment(blob, "setup.txt")  # type: ignore[arg-type]
ckzg.verify_cell_kzg_proof_batch([commitment], (1,), [cell], [commitment], setup)  # type: ignore[arg-type]
ckzg.compute_cells(blob=blob, trusted_setup=setup)  # type: ignore[call-arg]
