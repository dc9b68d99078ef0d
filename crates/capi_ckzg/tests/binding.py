#!/usr/bin/env python3
"""Runs the Python binding `ckzg`, whatever library it was built against.

    PYTHONPATH=FOLDER-OF-THE-BINDING binding.py SETUP [VECTORS]
"""

import random
import sys
import unittest

import ckzg

import vectors

MODULUS = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
SETTINGS = ckzg.load_trusted_setup(sys.argv[1], 0)
VECTORS = sys.argv[2] if len(sys.argv) > 2 else None


def random_blob(rng):
    return b"".join(rng.randrange(MODULUS).to_bytes(32, "big") for _ in range(4096))


def call(function, inputs):
    """Returns the binding's result; None where it refuses."""
    if function == "verify_blob_kzg_proof_batch":
        # It takes each list as one argument.
        inputs = [b"".join(items) for items in inputs]
    try:
        return getattr(ckzg, function)(*inputs, SETTINGS)
    except (RuntimeError, ValueError, TypeError):
        return None


def plain(value):
    """Converts tuples to lists, so that results can be compared with vectors."""
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


class Binding(unittest.TestCase):
    def test_round_trip(self):
        rng = random.Random(1)
        blob = random_blob(rng)
        commitment = ckzg.blob_to_kzg_commitment(blob, SETTINGS)
        proof = ckzg.compute_blob_kzg_proof(blob, commitment, SETTINGS)
        self.assertTrue(ckzg.verify_blob_kzg_proof(blob, commitment, proof, SETTINGS))
        self.assertTrue(ckzg.verify_blob_kzg_proof_batch(blob * 2, commitment * 2, proof * 2, SETTINGS))
        self.assertFalse(ckzg.verify_blob_kzg_proof(blob, proof, commitment, SETTINGS))
        z = rng.randrange(MODULUS).to_bytes(32, "big")
        value_proof, y = ckzg.compute_kzg_proof(blob, z, SETTINGS)
        self.assertTrue(ckzg.verify_kzg_proof(commitment, z, y, value_proof, SETTINGS))
        self.assertFalse(ckzg.verify_kzg_proof(commitment, y, z, value_proof, SETTINGS))

        cells, proofs = ckzg.compute_cells_and_kzg_proofs(blob, SETTINGS)
        self.assertEqual(cells, ckzg.compute_cells(blob, SETTINGS))
        self.assertEqual(b"".join(cells[:64]), blob)
        half = sorted(rng.sample(range(128), 64))
        recovered = ckzg.recover_cells_and_kzg_proofs(half, [cells[i] for i in half], SETTINGS)
        self.assertEqual(recovered, (cells, proofs))
        indices = list(range(128))
        self.assertTrue(ckzg.verify_cell_kzg_proof_batch([commitment] * 128, indices, cells, proofs, SETTINGS))
        swapped = [cells[1], cells[0], *cells[2:]]
        self.assertFalse(ckzg.verify_cell_kzg_proof_batch([commitment] * 128, indices, swapped, proofs, SETTINGS))

    def test_refusals(self):
        large = b"\xff" * 32 + bytes(131072 - 32)
        point = b"\xc0" + bytes(47)
        for function, inputs in [
            ("blob_to_kzg_commitment", [large]),
            ("compute_blob_kzg_proof", [large, point]),
            ("compute_blob_kzg_proof", [bytes(131072), bytes(48)]),
            ("compute_kzg_proof", [bytes(131072), b"\xff" * 32]),
            ("compute_cells", [large]),
            ("compute_cells_and_kzg_proofs", [large]),
            ("verify_kzg_proof", [bytes(48), bytes(32), bytes(32), point]),
            ("verify_blob_kzg_proof", [bytes(131072), point, bytes(48)]),
            ("recover_cells_and_kzg_proofs", [list(range(63)), [bytes(2048)] * 63]),
            ("recover_cells_and_kzg_proofs", [[0] * 64, [bytes(2048)] * 64]),
            ("verify_cell_kzg_proof_batch", [[point], [128], [bytes(2048)], [point]]),
        ]:
            with self.subTest(function):
                self.assertIsNone(call(function, inputs))

    def test_a_setup_that_is_none(self):
        with self.assertRaises(RuntimeError):
            ckzg.load_trusted_setup(__file__, 0)
        with self.assertRaises(RuntimeError):
            ckzg.load_trusted_setup(sys.argv[1], 16)

    @unittest.skipUnless(VECTORS, "there are no vectors")
    def test_official_vectors(self):
        ran = 0
        for function, name, inputs, output in vectors.cases(VECTORS):
            if not hasattr(ckzg, function):
                continue
            with self.subTest(f"{function}/{name}"):
                self.assertEqual(plain(call(function, inputs.values())), output)
                ran += 1
        self.assertGreater(ran, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
