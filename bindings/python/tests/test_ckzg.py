"""Tests of the module ckzg: errors, locks and types. The tests of the original compare results. Run by scripts/test-bindings python."""

import ast
import os
import subprocess
import sys
import threading
import time
import unittest

import ckzg

BLOB = bytes(131071) + b"\x07"


def others_run(call, attempts=200):
    """Whether another thread runs Python during a call.

    The interpreter's lock changes hands where a call releases it, and nowhere else: the interval at which it is taken
    away is longer than the test. On a busy machine the other thread may come too late, so there are several attempts.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        for _ in range(attempts):
            gate, ran = threading.Lock(), []
            gate.acquire()
            thread = threading.Thread(target=lambda: (gate.acquire(), ran.append(True)))
            thread.start()
            time.sleep(0.01)
            gate.release()
            call()
            seen = bool(ran)
            thread.join()
            if seen:
                return True
        return False
    finally:
        sys.setswitchinterval(interval)


class Ckzg(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.setup = ckzg.load_trusted_setup(os.environ["PARCRYPT_TRUSTED_SETUP"], 0)

    def test_results_verify(self):
        s = self.setup
        commitment = ckzg.blob_to_kzg_commitment(BLOB, s)
        proof = ckzg.compute_blob_kzg_proof(BLOB, commitment, s)
        self.assertIs(ckzg.verify_blob_kzg_proof(BLOB, commitment, proof, s), True)
        self.assertIs(ckzg.verify_blob_kzg_proof(bytes(131072), commitment, proof, s), False)
        self.assertIs(ckzg.verify_blob_kzg_proof_batch(BLOB * 2, commitment * 2, proof * 2, s), True)
        self.assertIs(ckzg.verify_blob_kzg_proof_batch(b"", b"", b"", s), True)
        cells, proofs = ckzg.compute_cells_and_kzg_proofs(BLOB, s)
        self.assertEqual(ckzg.compute_cells(BLOB, s), cells)
        half = list(range(64, 128))
        self.assertEqual(ckzg.recover_cells_and_kzg_proofs(half, cells[64:], s), (cells, proofs))
        self.assertIs(ckzg.verify_cell_kzg_proof_batch([commitment], [9], [cells[9]], [proofs[9]], s), True)
        self.assertIs(ckzg.verify_cell_kzg_proof_batch([commitment], [9], [cells[100]], [proofs[9]], s), False)

    def test_the_environment_chooses_backends_and_a_shadow(self):
        path = os.environ["PARCRYPT_TRUSTED_SETUP"]
        load = f"import ckzg; s = ckzg.load_trusted_setup({path!r}, 0); "
        code = load + "print(ckzg.blob_to_kzg_commitment(bytes(131071) + bytes([7]), s).hex())"

        def run(**variables):
            environment = os.environ | variables
            return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)

        expected = ckzg.blob_to_kzg_commitment(BLOB, self.setup).hex()
        for variables in ({"PARCRYPT_BACKEND": "blst"}, {"PARCRYPT_SHADOW": "1/1"}):
            self.assertEqual(run(**variables).stdout.strip(), expected)
        self.assertIn("PARCRYPT_BACKEND: unknown backend 'sse9'", run(PARCRYPT_BACKEND="sse9").stderr)
        self.assertIn("PARCRYPT_SHADOW: share '1000'", run(PARCRYPT_SHADOW="1000").stderr)

    def test_bad_input_is_an_error(self):
        s, point, cell = self.setup, bytes(48), bytes(2048)
        for error, text, call in (
            *((ValueError, "expected bytes and trusted setup", lambda blob=blob: ckzg.blob_to_kzg_commitment(blob, s))
              for blob in (bytearray(BLOB), memoryview(BLOB), memoryview(BLOB * 2)[::2], None, [BLOB])),
            (ValueError, "expected bytes and trusted setup", lambda: ckzg.blob_to_kzg_commitment(BLOB, None)),
            (ValueError, "BYTES_PER_BLOB", lambda: ckzg.blob_to_kzg_commitment(b"", s)),
            (ValueError, "BYTES_PER_FIELD_ELEMENT", lambda: ckzg.compute_kzg_proof(BLOB, b"", s)),
            (ValueError, "BYTES_PER_COMMITMENT", lambda: ckzg.verify_kzg_proof(b"", b"", b"", b"", s)),
            (ValueError, "multiple of BYTES_PER_PROOF", lambda: ckzg.verify_blob_kzg_proof_batch(BLOB, point, b"x", s)),
            (ValueError, "same number", lambda: ckzg.verify_blob_kzg_proof_batch(BLOB, point * 2, point, s)),
            (ValueError, "expected list, list", lambda: ckzg.recover_cells_and_kzg_proofs((), [], s)),
            (ValueError, "same number", lambda: ckzg.recover_cells_and_kzg_proofs([1], [], s)),
            *((ValueError, "index 1 to be an integer", lambda index=index: ckzg.recover_cells_and_kzg_proofs([0, index], [cell] * 2, s))
              for index in ("1", 1.0, None, [1])),
            *((ValueError, "index 1 to be below 2\\^64", lambda index=index: ckzg.recover_cells_and_kzg_proofs([0, index], [cell] * 2, s))
              for index in (-1, 1 << 64)),
            *((ValueError, "cell 1 to be bytes", lambda item=item: ckzg.recover_cells_and_kzg_proofs([0, 1], [cell, item], s))
              for item in (7, None, bytearray(cell), memoryview(cell * 2)[::2], [cell])),
            (RuntimeError, "128", lambda: ckzg.verify_cell_kzg_proof_batch([point], [(1 << 64) - 1], [cell], [point], s)),
            (ValueError, "cell 0 to be BYTES_PER_CELL", lambda: ckzg.verify_cell_kzg_proof_batch([point], [1], [b""], [point], s)),
            (ValueError, "commitment 1 to be BYTES_PER_COMM", lambda: ckzg.verify_cell_kzg_proof_batch([point, b""], [1], [cell], [point], s)),
            (ValueError, "proof 0 to be bytes", lambda: ckzg.verify_cell_kzg_proof_batch([point], [1], [cell], [None], s)),
            (RuntimeError, "blob_to_kzg_commitment failed: .*modulus", lambda: ckzg.blob_to_kzg_commitment(b"\xff" * 131072, s)),
            (RuntimeError, "compute_blob_kzg_proof failed", lambda: ckzg.compute_blob_kzg_proof(BLOB, point, s)),
            (RuntimeError, "at least 64", lambda: ckzg.recover_cells_and_kzg_proofs([1], [cell], s)),
            (ValueError, "expected string and int", lambda: ckzg.load_trusted_setup(b"path", 0)),
            *((ValueError, "invalid precompute", lambda precompute=precompute: ckzg.load_trusted_setup("path", precompute))
              for precompute in ("0", -1, 1 << 64, None, 1.5)),
            (RuntimeError, "/nothing/here", lambda: ckzg.load_trusted_setup("/nothing/here", 0)),
            (RuntimeError, "precompute is 16", lambda: ckzg.load_trusted_setup(os.environ["PARCRYPT_TRUSTED_SETUP"], 16)),
            (TypeError, "", lambda: ckzg.compute_cells(BLOB)),
        ):
            with self.assertRaisesRegex(error, text):
                call()

    def test_threads_share_a_setup(self):
        expected, found = ckzg.compute_cells(BLOB, self.setup), []
        threads = [threading.Thread(target=lambda: found.append(ckzg.compute_cells(BLOB, self.setup))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 4)

    def test_the_lock_is_released(self):
        s, z, path = self.setup, bytes(32), os.environ["PARCRYPT_TRUSTED_SETUP"]
        commitment = ckzg.blob_to_kzg_commitment(BLOB, s)
        proof, (opening, y) = ckzg.compute_blob_kzg_proof(BLOB, commitment, s), ckzg.compute_kzg_proof(BLOB, z, s)
        cells, proofs = ckzg.compute_cells_and_kzg_proofs(BLOB, s)
        half, every = list(range(64)), list(range(128))
        blobs = [BLOB * 8, commitment * 8, proof * 8, s]
        all_cells = [[commitment] * 128, every, cells, proofs, s]
        calls = {
            "load_trusted_setup": lambda: ckzg.load_trusted_setup(path, 0),
            "blob_to_kzg_commitment": lambda: ckzg.blob_to_kzg_commitment(BLOB, s),
            "compute_kzg_proof": lambda: ckzg.compute_kzg_proof(BLOB, z, s),
            "compute_blob_kzg_proof": lambda: ckzg.compute_blob_kzg_proof(BLOB, commitment, s),
            "verify_kzg_proof": lambda: ckzg.verify_kzg_proof(commitment, z, y, opening, s),
            "verify_blob_kzg_proof": lambda: ckzg.verify_blob_kzg_proof(BLOB, commitment, proof, s),
            "verify_blob_kzg_proof_batch": lambda: ckzg.verify_blob_kzg_proof_batch(*blobs),
            "compute_cells": lambda: ckzg.compute_cells(BLOB, s),
            "compute_cells_and_kzg_proofs": lambda: ckzg.compute_cells_and_kzg_proofs(BLOB, s),
            "recover_cells_and_kzg_proofs": lambda: ckzg.recover_cells_and_kzg_proofs(half, cells[:64], s),
            "verify_cell_kzg_proof_batch": lambda: ckzg.verify_cell_kzg_proof_batch(*all_cells),
        }
        self.assertEqual({name for name in dir(ckzg) if name[0].islower() and name != "ckzg"}, set(calls))
        for name, call in calls.items():
            self.assertTrue(others_run(call), name)

    def test_stubs_name_what_there_is(self):
        folder = os.path.dirname(ckzg.__file__)
        self.assertTrue(os.path.exists(os.path.join(folder, "py.typed")))
        with open(os.path.join(folder, "__init__.pyi"), encoding="utf-8") as file:
            stub = file.read()
        names = [name for name in dir(ckzg) if not name.startswith("_") and name != "ckzg"]
        self.assertGreaterEqual(len(names), 12)
        for name in names:
            self.assertRegex(stub, rf"(def|class) {name}\b")

    def test_documentation_is_that_of_the_stubs(self):
        with open(os.path.join(os.path.dirname(ckzg.__file__), "__init__.pyi"), encoding="utf-8") as file:
            stub = ast.parse(file.read())
        self.assertEqual(ckzg.__doc__.strip(), ast.get_docstring(stub))
        items = [item for item in stub.body if isinstance(item, (ast.ClassDef, ast.FunctionDef))]
        self.assertGreaterEqual(len(items), 12)
        for item in items:
            self.assertEqual(getattr(ckzg, item.name).__doc__.strip(), ast.get_docstring(item), item.name)


if __name__ == "__main__":
    unittest.main()
