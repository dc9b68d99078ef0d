"""Tests of the package parcrypt: known answers, bad input, progress, threads. Run by scripts/test-bindings python."""

import array
import asyncio
import doctest
import hashlib
import itertools
import os
import time
import unittest

import columns
import parcrypt
import parcrypt._parcrypt
from beside import others_run, seconds_until_interrupted
from parcrypt import kzg

BLOB = 131072
# Seconds. Work that Ctrl-C ends would take minutes.
SOON = 30


def blob(seed):
    """A blob of numbers below the modulus."""
    return b"".join(b"\0" + hashlib.sha256(bytes([seed, i % 251])).digest()[:31] for i in range(BLOB // 32))


class Kzg(unittest.TestCase):
    def setUp(self):
        self.setup = kzg.Settings(threads=2, tables_mib=2)
        self.blobs = [blob(i) for i in range(5)]

    def test_batches_give_what_single_calls_give(self):
        one = kzg.Settings(backends="blst", shadow="1/1")
        self.assertEqual((one.threads, self.setup.threads), (1, 2))
        commitments = self.setup.commitments(self.blobs)
        self.assertEqual(commitments, [one.commitment(blob) for blob in self.blobs])
        proofs = self.setup.blob_proofs(self.blobs, commitments)
        self.assertEqual(proofs, [one.blob_proof(b, c) for b, c in zip(self.blobs, commitments)])
        self.assertTrue(self.setup.verify_blobs(self.blobs, commitments, proofs))
        self.assertFalse(self.setup.verify_blobs(self.blobs, commitments, proofs[1:] + proofs[:1]))
        self.assertTrue(self.setup.verify_blobs([], [], []))
        self.assertTrue(one.verify_blob(self.blobs[0], commitments[0], proofs[0]))
        self.assertFalse(one.verify_blob(self.blobs[1], commitments[0], proofs[0]))
        z = bytes(31) + b"\x09"
        proof, y = one.proof(self.blobs[0], z)
        self.assertTrue(one.verify_proof(commitments[0], z, y, proof))
        self.assertFalse(one.verify_proof(commitments[0], z, z, proof))

    def test_lost_cells_are_recovered(self):
        both = self.setup.cells_and_proofs_many(self.blobs[:2])
        cells, proofs = both[0]
        self.assertEqual((cells, proofs), self.setup.cells_and_proofs(self.blobs[0]))
        self.assertEqual(cells, self.setup.cells(self.blobs[0]))
        self.assertEqual((len(cells), len(proofs), len(cells[0])), (128, 128, 2048))
        half = list(range(0, 128, 2))
        self.assertEqual(self.setup.recover(half, [cells[i] for i in half]), both[0])
        samples = [(half, [cells[i] for i in half]) for cells, _ in both]
        self.assertEqual(self.setup.recover_many(samples), both)
        commitment = self.setup.commitment(self.blobs[0])
        verify = lambda i, j: self.setup.verify_cells([commitment], [i], [cells[j]], [proofs[j]])
        self.assertEqual((verify(5, 5), verify(5, 6)), (True, False))

    def test_some_cells_are_those_of_all(self):
        cells, proofs = self.setup.cells_and_proofs(self.blobs[0])
        others = self.setup.cells(self.blobs[1])
        wanted = [0, 63, 64, 127]
        some = ([cells[i] for i in wanted], [proofs[i] for i in wanted])
        self.assertEqual(self.setup.cells_subset(self.blobs[0], wanted), some[0])
        self.assertEqual(self.setup.cells_subset(self.blobs[0], range(128)), cells)
        self.assertEqual(self.setup.cells_subset(self.blobs[0], []), [])
        self.assertEqual(self.setup.cells_and_proofs_subset(self.blobs[0], wanted), some)
        self.assertEqual(self.setup.cell_proofs_subset(self.blobs[0], wanted), some[1])
        with self.assertRaisesRegex(ValueError, "cell index 1 is 5 and comes after 5"):
            self.setup.cell_proofs_subset(self.blobs[0], [5, 5])
        many = self.setup.cells_subset_many(self.blobs[:2], (70,))
        self.assertEqual(many, [[cells[70]], [others[70]]])
        self.assertEqual(self.setup.recover_subset(range(30, 100), cells[30:100], wanted), some[0])
        self.assertEqual(self.setup.recover_with_proofs_subset(range(64), cells[:64], wanted), some)
        samples = [(range(64, 128), cells[64:]), (range(64), others[:64])]
        reports = []
        column = self.setup.recover_subset_many(samples, [9, 100], progress=lambda *report: reports.append(report))
        self.assertEqual(column, [[cells[9], cells[100]], [others[9], others[100]]])
        self.assertEqual(reports[-1], (2, 2))
        with self.assertRaisesRegex(ValueError, "samples.1.: 3 cells: recovery takes at least 64"):
            self.setup.recover_subset_many([samples[0], (range(3), others[:3])], [9])
        with self.assertRaisesRegex(ValueError, "cell index 0 is 128"):
            self.setup.recover_subset_many(samples, [128])

    def test_a_thread_of_the_program_computes_second_answers(self):
        setup = kzg.Settings(shadow="1/1", shadow_queue=2)
        for _ in range(3):
            setup.commitment(self.blobs[0])
        self.assertEqual(setup.shadow_counts, (3, 0, 0, 1))
        self.assertEqual((setup.run_shadow(), setup.run_shadow()), (2, 0))
        self.assertEqual(setup.shadow_counts, (3, 2, 0, 1))
        self.assertEqual(kzg.Settings().run_shadow(), 0)
        with self.assertRaisesRegex(ValueError, "shadow_queue: there is no shadow"):
            kzg.Settings(shadow_queue=2)

    def test_a_handle_keeps_what_was_computed(self):
        cells, proofs = self.setup.cells_and_proofs(self.blobs[0])
        handle = kzg.BlobCells(self.setup, self.blobs[0])
        least = handle.memory
        self.assertEqual(handle.cells([5, 99]), [cells[5], cells[99]])
        self.assertEqual(handle.memory, least + 2048)
        self.assertEqual(handle.proofs([5, 99]), [proofs[5], proofs[99]])
        saved = handle.to_bytes()
        restored = kzg.BlobCells.from_bytes(self.setup, saved)
        self.assertEqual((restored.blob(), restored.to_bytes()), (self.blobs[0], saved))
        recovered = kzg.BlobCells.from_cells(self.setup, range(64, 128), cells[64:])
        self.assertEqual((recovered.blob(), recovered.cells([7])), (self.blobs[0], [cells[7]]))
        for text, call in (
            ("cell index 1 is 128", lambda: handle.cells([3, 128])),
            ("cell index 1 is 3 and comes after 3", lambda: handle.proofs([3, 3])),
            ("their checksum differs", lambda: kzg.BlobCells.from_bytes(self.setup, saved[:99] + b"?" + saved[100:])),
            ("of this version", lambda: kzg.BlobCells.from_bytes(self.setup, bytes(200000))),
            ("serialised cells of a blob 0: 5 bytes", lambda: kzg.BlobCells.from_bytes(self.setup, b"PCCEL")),
            ("blob 0: 3 bytes", lambda: kzg.BlobCells(self.setup, b"abc")),
            ("at least 64", lambda: kzg.BlobCells.from_cells(self.setup, [1], cells[:1])),
        ):
            with self.assertRaisesRegex(ValueError, text):
                call()

    def test_wrong_cells_and_blobs_are_named(self):
        cells, proofs = self.setup.cells_and_proofs(self.blobs[0])
        commitment = self.setup.commitment(self.blobs[0])
        wrong = lambda: self.setup.wrong_cells([commitment] * 128, range(128), cells, proofs)
        self.assertEqual(wrong(), [])
        cells[3], proofs[70], proofs[9] = cells[4], proofs[71], bytes(48)
        self.assertEqual(wrong(), [(3, None), (9, "proof 9: the bytes are not a point of the curve"), (70, None)])
        with self.assertRaisesRegex(ValueError, "commitment"):
            self.setup.wrong_cells([], range(128), cells, proofs)
        commitments = self.setup.commitments(self.blobs)
        proofs = self.setup.blob_proofs(self.blobs, commitments)
        self.assertEqual(self.setup.wrong_blobs(self.blobs, commitments, proofs), [])
        proofs[1] = b"short"
        commitments[0] = commitments[2]
        found = self.setup.wrong_blobs(self.blobs, commitments, proofs)
        self.assertEqual([index for index, _ in found], [0, 1])
        self.assertRegex(found[1][1], "5 bytes, it must have 48")

    def test_wrong_values_are_named(self):
        commitment = self.setup.commitment(self.blobs[0])
        zs = [bytes([i]) + bytes(31) for i in range(5)]
        proofs, ys = map(list, zip(*(self.setup.proof(self.blobs[0], z) for z in zs)))
        both = lambda: tuple(f([commitment] * 5, zs, ys, proofs) for f in (self.setup.verify_proofs, self.setup.wrong_proofs))
        self.assertEqual(both(), (True, []))
        ys[3] = ys[2]
        self.assertEqual(both(), (False, [(3, None)]))
        proofs[1] = bytes(48)
        found = self.setup.wrong_proofs([commitment] * 5, zs, ys, proofs)
        self.assertEqual(found, [(1, "proof 1: the bytes are not a point of the curve"), (3, None)])
        with self.assertRaisesRegex(ValueError, "proof 1: the bytes are not a point"):
            self.setup.verify_proofs([commitment] * 5, zs, ys, proofs)
        with self.assertRaisesRegex(ValueError, "y: 4 were given, there must be 5"):
            self.setup.wrong_proofs([commitment] * 5, zs, ys[1:], proofs)

    def test_buffers_of_any_kind_are_read(self):
        expected = self.setup.commitment(self.blobs[0])
        for data in (bytearray(self.blobs[0]), memoryview(self.blobs[0]), array.array("Q", self.blobs[0])):
            self.assertEqual(self.setup.commitment(data), expected, type(data))
        every_second = memoryview(b"".join(bytes([byte, 7]) for byte in self.blobs[0]))[::2]
        self.assertEqual(self.setup.commitment(every_second), expected)

    def test_bad_input_is_an_error_that_names_it(self):
        large = b"\xff" * BLOB
        for error, text, call in (
            (ValueError, "blob 0: 3 bytes", lambda: self.setup.commitment(b"abc")),
            (ValueError, "blob 0: field element 0 is not below", lambda: self.setup.commitment(large)),
            (ValueError, "blob 9: field element 0", lambda: self.setup.commitments(self.blobs + self.blobs[:4] + [large])),
            (ValueError, "2 blobs and 1 commitments", lambda: self.setup.blob_proofs(self.blobs[:2], [bytes(48)])),
            (ValueError, "commitment 0", lambda: self.setup.verify_blob(self.blobs[0], bytes(48), bytes(48))),
            (ValueError, "cell index", lambda: self.setup.recover([200], [bytes(2048)])),
            (ValueError, "at least 64", lambda: self.setup.recover([], [])),
            (ValueError, "cell index 0 is 128", lambda: self.setup.cells_subset(self.blobs[0], [128])),
            (ValueError, "cell index 1 is 4", lambda: self.setup.cells_subset_many(self.blobs, [4, 4])),
            (ValueError, r"indices\[0\]: .* from 0 to 127", lambda: self.setup.cells_subset(self.blobs[0], [-1])),
            (ValueError, "more than 128", lambda: self.setup.cells_subset(self.blobs[0], range(10**15))),
            (ValueError, "blob 1: 3 bytes", lambda: self.setup.cells_subset_many([self.blobs[0], b"abc"], [4])),
            (TypeError, r"blobs\[1\]: expected bytes", lambda: self.setup.commitments([self.blobs[0], 7])),
            (TypeError, "blob: expected bytes or another buffer", lambda: self.setup.commitment("text")),
            (TypeError, "a list of bytes, not bytes", lambda: self.setup.commitments(self.blobs[0])),
            (ValueError, r"indices\[0\]: .* from 0 to 127", lambda: self.setup.recover([-1], [bytes(2048)])),
            (ValueError, r"indices\[1\]: .* from 0 to 127", lambda: self.setup.recover([1, 1 << 64], [bytes(2048)] * 2)),
            (TypeError, r"indices\[0\]: expected an integer", lambda: self.setup.recover([1.5], [bytes(2048)])),
            (TypeError, "indices: expected a list", lambda: self.setup.recover(None, [])),
            (ValueError, "indices: 1 indices for 2 cells", lambda: self.setup.recover([1], [bytes(2048)] * 2)),
            (ValueError, "/nothing/here", lambda: kzg.Settings("/nothing/here")),
            (ValueError, "unknown backend", lambda: kzg.Settings(backends="sse9")),
            (ValueError, "share .1000.", lambda: kzg.Settings(shadow="1000")),
            (ValueError, "threads", lambda: kzg.Settings(threads=1 << 30)),
            (OverflowError, "", lambda: kzg.Settings(threads=-1)),
        ):
            with self.assertRaisesRegex(error, text):
                call()

    def test_a_list_that_says_it_is_long_is_an_error(self):
        class Lying:
            def __len__(self):
                return 1 << 50

            def __length_hint__(self):
                return 1 << 62

            def __iter__(self):
                return self

            def __next__(self):
                raise StopIteration

        more = "more than 0 indices for 0 cells"
        for error, text, call in (
            (ValueError, f"indices: {more}", lambda: self.setup.recover(range(10**15), [])),
            (ValueError, f"indices: {more}", lambda: self.setup.recover(itertools.count(), [])),
            (ValueError, f"indices: {more}", lambda: self.setup.verify_cells([], range(1 << 62), [], [])),
            (ValueError, rf"samples\[0\]\[0\]: {more}", lambda: self.setup.recover_many([(range(10**15), [])])),
            (ValueError, "at least 64", lambda: self.setup.recover(Lying(), Lying())),
        ):
            with self.assertRaisesRegex(error, text):
                call()
        self.assertEqual(self.setup.commitments(Lying()), [])
        self.assertEqual(self.setup.recover_many(Lying()), [])

    def test_errors_of_samples_name_the_blob_and_the_cell(self):
        cells = self.setup.cells(self.blobs[0])
        half = list(range(0, 128, 2))
        given = [cells[i] for i in half]
        large, short = given[:3] + [b"\xff" * 2048] + given[4:], [b"xx"] + given[1:]
        # A group has 8 blobs on two threads.
        for error, text, before, wrong in (
            (ValueError, r"samples\[8\]: cell 3: field element 0", 8, (half, large)),
            (ValueError, r"samples\[9\]: cell 0: 2 bytes", 9, (half, short)),
            (ValueError, r"samples\[9\]: cell index 5 is 200", 9, (half[:5] + [200] + half[6:], given)),
            (ValueError, r"samples\[2\]: 10 cells", 2, (half[:10], given[:10])),
            (ValueError, r"samples\[2\]\[0\]: 63 indices for 64 cells", 2, (half[:-1], given)),
            (TypeError, r"samples\[1\]\[1\]\[0\]: expected bytes", 1, ([1], ["text"])),
            (TypeError, r"samples\[1\]: expected a tuple of indices and cells", 1, (half, given, None)),
            (TypeError, r"samples\[1\]: expected a tuple of indices and cells", 1, None),
        ):
            with self.assertRaisesRegex(error, f"^{text}"):
                self.setup.recover_many([(half, given)] * before + [wrong])

    def test_progress_is_reported_and_exceptions_stop_the_work(self):
        seen = []
        self.setup.commitments(self.blobs * 6, progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen, [(8, 30), (16, 30), (24, 30), (30, 30)])

        def stop(done, total):
            raise KeyError(done)

        with self.assertRaisesRegex(KeyError, "8"):
            self.setup.commitments(self.blobs * 6, progress=stop)
        with self.assertRaises(TypeError):
            self.setup.commitments(self.blobs, progress=7)

    def test_buffers_are_copied_before_the_lock_is_released(self):
        changing = bytearray(self.blobs[0])

        def progress(done, total):
            changing[:] = self.blobs[1]
            changing.extend(b"x")

        # Two groups: the second comes after the change.
        expected = [self.setup.commitment(self.blobs[0])] * 10
        self.assertEqual(self.setup.commitments([changing] * 10, progress=progress), expected)
        self.assertEqual(changing, self.blobs[1] + b"x")

    def test_the_lock_is_released(self):
        blob, z = self.blobs[0], bytes(31) + b"\x09"
        for setup in (kzg.Settings(), self.setup):
            commitment = setup.commitment(blob)
            proof, (opening, y) = setup.blob_proof(blob, commitment), setup.proof(blob, z)
            cells, proofs = setup.cells_and_proofs(blob)
            calls = {
                "commitment": lambda: setup.commitment(blob),
                "proof": lambda: setup.proof(blob, z),
                "blob_proof": lambda: setup.blob_proof(blob, commitment),
                "cells": lambda: setup.cells(blob),
                "cells_and_proofs": lambda: setup.cells_and_proofs(blob),
                "cells_and_proofs_subset": lambda: setup.cells_and_proofs_subset(blob, [5]),
                "recover": lambda: setup.recover(range(64), cells[:64]),
                "commitments": lambda: setup.commitments([blob] * 2),
                "blob_proofs": lambda: setup.blob_proofs([blob] * 2, [commitment] * 2),
                "cells_and_proofs_many": lambda: setup.cells_and_proofs_many([blob] * 2),
                "cell_proofs_subset": lambda: setup.cell_proofs_subset(blob, [5]),
                "recover_subset_many": lambda: setup.recover_subset_many([(range(64), cells[:64])] * 20, [99]),
                "recover_many": lambda: setup.recover_many([(range(64), cells[:64])] * 2),
                "verify_proof": lambda: setup.verify_proof(commitment, z, y, opening),
                "verify_proofs": lambda: setup.verify_proofs([commitment] * 8, [z] * 8, [y] * 8, [opening] * 8),
                "wrong_proofs": lambda: setup.wrong_proofs([commitment] * 8, [z] * 8, [y] * 8, [opening] * 8),
                "verify_blob": lambda: setup.verify_blob(blob, commitment, proof),
                "verify_blobs": lambda: setup.verify_blobs([blob] * 8, [commitment] * 8, [proof] * 8),
                "verify_cells": lambda: setup.verify_cells([commitment] * 128, range(128), cells, proofs),
                "wrong_cells": lambda: setup.wrong_cells([commitment] * 128, range(128), cells, proofs),
                "wrong_blobs": lambda: setup.wrong_blobs([blob] * 8, [commitment] * 8, [proof] * 8),
                "Settings": lambda: kzg.Settings(tables_mib=2),
            }
            for name, call in calls.items():
                self.assertTrue(others_run(call), name)
        # The test can fail: a call that keeps the lock.
        self.assertFalse(others_run(lambda: sum(range(10**6)), 3))

    def test_ctrl_c_ends_a_batch(self):
        for threads in (1, 2):
            setup = kzg.Settings(threads=threads)
            self.assertLess(seconds_until_interrupted(lambda: setup.cells_and_proofs_many(self.blobs * 4000)), SOON)


class Verifier(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.setup = kzg.Settings()
        cls.blobs = [blob(i) for i in range(2)]
        cls.commitments = cls.setup.commitments(cls.blobs)
        both = [cls.setup.cells_and_proofs(blob) for blob in cls.blobs]
        cls.claims = [(b, c, both[b][0][c], both[b][1][c]) for c in (3, 9) for b in (0, 1)]

    def test_cells_are_verified_as_they_come(self):
        verifier = kzg.CellVerifier(self.setup, self.commitments)
        empty = verifier.memory
        self.assertEqual((verifier.verify(), verifier.pending), (([], []), 0))
        wrong = (1, 9, self.claims[2][2], self.claims[3][3])
        verifier.add([*self.claims[:3], wrong])
        verifier.add(self.claims[:1])
        self.assertEqual(verifier.pending, 4)
        self.assertGreater(verifier.memory, empty + 4 * 2048)
        self.assertEqual(verifier.verify_next(1), ([(0, 3)], []))
        self.assertEqual(verifier.verify_within(0), ([(1, 3)], []))
        self.assertEqual(verifier.verify(), ([(0, 9)], [(1, 9, "the proof does not verify")]))
        verifier.add([(1, 9, b"\xff" * 2048, wrong[3])])
        self.assertEqual(verifier.verify()[1], [(1, 9, "cell 0: field element 0 is not below the modulus")])
        verifier.add(iter(self.claims))
        self.assertEqual((verifier.verify(), verifier.pending), (([(1, 9)], []), 0))
        self.assertGreater(verifier.cost(9), verifier.cost(1))

    def test_bad_claims_are_refused_and_nothing_is_added(self):
        verifier = kzg.CellVerifier(self.setup, self.commitments)
        good = self.claims[0]
        for bad, error, text in [
            ((2, *good[1:]), ValueError, "commitment index 1 is 2"),
            ((0, 128, *good[2:]), ValueError, "cell index 1 is 128"),
            ((-1, *good[1:]), ValueError, r"claims\[1\]\[0\]"),
            ((0, 2**64, *good[2:]), ValueError, r"claims\[1\]\[1\]"),
            ((*good[:2], good[2][1:], good[3]), ValueError, "cell 1: 2047 bytes"),
            ((*good[:3], good[3] * 2), ValueError, "proof 1: 96 bytes"),
            ((*good[:3], 7), TypeError, r"claims\[1\]\[3\]"),
            (good[:3], TypeError, r"claims\[1\]: expected a tuple"),
            (7, TypeError, r"claims\[1\]: expected a tuple"),
            ((*good[:2], self.claims[1][2], good[3]), ValueError, "column 3 was added before"),
        ]:
            with self.assertRaisesRegex(error, text):
                verifier.add([good, bad])
        self.assertEqual(verifier.pending, 0)
        self.assertRaisesRegex(TypeError, "claims", verifier.add, 7)
        self.assertRaisesRegex(ValueError, "most", verifier.verify_next, 0)
        self.assertRaisesRegex(ValueError, "seconds", verifier.verify_within, -1.0)
        self.assertRaisesRegex(ValueError, "seconds", verifier.verify_within, float("nan"))
        with self.assertRaisesRegex(ValueError, "commitment 1"):
            kzg.CellVerifier(self.setup, [self.commitments[0], bytes(48)])
        self.assertRaises(TypeError, kzg.CellVerifier, 7, self.commitments)
        self.assertRaises(TypeError, kzg.CellVerifier, self.setup, self.commitments[0])

    def test_an_event_loop_verifies_in_pieces(self):
        for seconds in (0, 0.0005, 0.005):
            found = asyncio.run(columns.main(self.setup, self.blobs, range(5), seconds))
            self.assertEqual((found["right"], found["wrong"], found["again"]), (9, found["bad"], found["bad"]))
            self.assertTrue(found["allowed"])
            # Something else ran between any two pieces.
            self.assertGreater(found["ticks"], 10 // found["largest"])


class Scrypt(unittest.TestCase):
    # RFC 7914, section 12.
    VECTORS = (
        (b"", b"", 16, 1, 1, "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
        (b"password", b"NaCl", 1024, 8, 16, "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
    )

    def test_known_answers(self):
        for password, salt, n, r, p, key in self.VECTORS:
            for threads, lanes in ((1, 0), (2, 1), (0, 4)):
                found = parcrypt.scrypt(password, salt=salt, n=n, r=r, p=p, threads=threads, lanes=lanes)
                self.assertEqual(found.hex(), key)

    def test_it_agrees_with_hashlib(self):
        for dklen in (1, 31, 64, 65):
            arguments = {"salt": b"salt", "n": 1024, "r": 8, "p": 3, "dklen": dklen}
            self.assertEqual(parcrypt.scrypt(b"word", **arguments), hashlib.scrypt(b"word", **arguments))
        many = parcrypt.scrypt_many([b"a", b"b", b""], [b"x", b"y", b"z"], n=64, r=2, p=2, threads=2)
        single = [hashlib.scrypt(w, salt=s, n=64, r=2, p=2) for w, s in ((b"a", b"x"), (b"b", b"y"), (b"", b"z"))]
        self.assertEqual(many, single)
        self.assertEqual(parcrypt.scrypt_many([], [], n=64, r=2, p=2), [])

    def test_n_beyond_the_rfc_is_an_option(self):
        # The test vector of Ethereum's key files.
        salt = bytes.fromhex("ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19")
        cost = {"n": 1 << 18, "r": 1, "p": 8, "dklen": 32, "threads": 2}
        with self.assertRaisesRegex(ValueError, "allow_n_beyond_rfc"):
            parcrypt.scrypt(b"testpassword", salt=salt, **cost)
        key = parcrypt.scrypt(b"testpassword", salt=salt, allow_n_beyond_rfc=True, **cost)
        self.assertEqual(key.hex(), "fac192ceb5fd772906bea3e118a69e8bbb5cc24229e20d8766fd298291bba6bd")
        many = parcrypt.scrypt_many([b"testpassword"], [salt], allow_n_beyond_rfc=True, **cost)
        self.assertEqual(many, [key])

    def test_bad_input_is_an_error_that_names_it(self):
        good = {"salt": b"salt", "n": 16, "r": 1, "p": 1}
        for error, text, change in (
            (ValueError, "N = 15", {"n": 15}),
            (ValueError, "r = 0", {"r": 0}),
            (ValueError, "dklen is 0", {"dklen": 0}),
            (ValueError, "raise maxmem", {"n": 1 << 20, "r": 8, "maxmem": 1 << 20}),
            (ValueError, "maxmem|memory|address", {"n": 1 << 40, "r": 8}),
            (ValueError, "dklen: a key of 137438953441 bytes", {"dklen": 137438953441}),
            (ValueError, "dklen", {"dklen": 1 << 62}),
            (ValueError, "at most 1024", {"threads": 1025}),
            (TypeError, "salt: expected bytes", {"salt": "text"}),
            (TypeError, "", {"n": 1.5}),
        ):
            with self.assertRaisesRegex(error, text):
                parcrypt.scrypt(b"", **(good | change))
        with self.assertRaisesRegex(ValueError, "2 passwords and 1 salts"):
            parcrypt.scrypt_many([b"", b""], [b""], n=16, r=1, p=1)
        # As many bytes as no address space has.
        with self.assertRaisesRegex(MemoryError, "no memory for 4096 keys"):
            parcrypt.scrypt_many([b""] * 4096, [b""] * 4096, n=16, r=1, p=1, dklen=137438953440)
        for name, value in (("n", -1), ("r", 1 << 40), ("dklen", 1 << 64), ("threads", -1)):
            with self.assertRaises(OverflowError) as raised:
                parcrypt.scrypt(b"", **(good | {name: value}))
            self.assertEqual(raised.exception.__notes__, [f"while processing '{name}'"])

    def test_progress_is_reported_and_exceptions_stop_the_work(self):
        class Stop(Exception):
            pass

        for threads in (1, 2):
            seen = []
            expected = parcrypt.scrypt(b"", salt=b"", n=1 << 14, r=8, p=16)
            report = lambda done, total: seen.append((done, total))
            many = {"n": 1 << 14, "r": 8, "threads": threads, "progress": report}
            self.assertEqual(parcrypt.scrypt(b"", salt=b"", p=16, **many), expected)
            all_steps = 2 * (1 << 14) * 16
            self.assertEqual((seen[0], seen[-1]), ((0, all_steps), (all_steps, all_steps)))
            self.assertEqual(seen, sorted(seen))
            # Many calls, as it takes long.
            self.assertGreater(len(set(seen)), 2, seen)
            seen.clear()
            parcrypt.scrypt_many([b""] * 16, [b""] * 16, p=1, **many)
            self.assertEqual((seen[0], seen[-1]), ((0, all_steps), (all_steps, all_steps)))

            def stop(done, total):
                seen.append(done)
                if done:
                    raise Stop

            long = {"n": 1 << 14, "r": 8, "threads": threads, "progress": stop}
            for call in (
                lambda: parcrypt.scrypt(b"", salt=b"", p=1 << 16, **long),
                lambda: parcrypt.scrypt_many([b""] * (1 << 16), [b""] * (1 << 16), p=1, **long),
            ):
                seen.clear()
                with self.assertRaises(Stop):
                    call()
                # It is not called again, and the work ends soon.
                self.assertEqual(len([done for done in seen if done]), 1)
                self.assertLess(seen[-1], 1 << 30)

    def test_buffers_are_copied_before_the_lock_is_released(self):
        for threads in (1, 2):
            cost = {"n": 1 << 10, "r": 8, "p": 4, "threads": threads}
            password, salt = bytearray(b"word"), bytearray(b"salt")

            def progress(done, total):
                password.extend(b"x")
                salt[:] = b"else"

            found = parcrypt.scrypt(password, salt=salt, progress=progress, **cost)
            self.assertEqual(found, parcrypt.scrypt(b"word", salt=b"salt", **cost))
            self.assertEqual((bytes(password[:5]), bytes(salt)), (b"wordx", b"else"))

    def test_the_lock_is_released(self):
        for threads in (1, 2):
            cost = {"n": 1 << 14, "r": 8, "p": 2, "threads": threads}
            self.assertTrue(others_run(lambda: parcrypt.scrypt(b"", salt=b"", **cost)))
            self.assertTrue(others_run(lambda: parcrypt.scrypt_many([b""] * 2, [b""] * 2, **cost)))

    def test_ctrl_c_ends_the_work(self):
        for threads in (1, 2):
            long = {"n": 1 << 14, "r": 8, "threads": threads}
            words = [b""] * (1 << 16)
            for call in (
                lambda: parcrypt.scrypt(b"", salt=b"", p=1 << 16, **long),
                lambda: parcrypt.scrypt_many(words, words, p=1, **long),
            ):
                self.assertLess(seconds_until_interrupted(call), SOON)


class Mac(unittest.TestCase):
    def test_known_answers(self):
        # Test case 1 of the GCM specification, and draft-krovetz-vmac-01.
        self.assertEqual(parcrypt.gmac(bytes(16), bytes(12), b"").hex(), "58e2fccefa7e3061367f1d57a4e7455a")
        key, nonce = b"abcdefghijklmnop", b"bcdefghi"
        for length, tag64, tag128 in (
            (0, "2576be1c56d8b81b", "472766c70f74ed23481d6d7de4e80dac"),
            (3, "2d376cf5b1813ce5", "4ee815a06a1d71edd36fc75d51188a42"),
            (48, "e8421f61d573d298", "09f2c80c8e1007a0c12fae19fe4504ae"),
            (300, "4492df6c5cac1bbe", "66438817154850c61d8a412164803bcb"),
        ):
            message = b"abc" * (length // 3)
            self.assertEqual(parcrypt.vmac(key, nonce, message).hex(), tag64)
            self.assertEqual(parcrypt.vmac(key, nonce, message, tag_bits=128).hex(), tag128)

    def test_threads_change_no_tag(self):
        message = bytes(range(256)) * 20000
        for mac in (parcrypt.gmac, parcrypt.vmac):
            tags = {mac(bytes(16), b"\0nonce", message, threads=threads) for threads in (1, 2, 0)}
            self.assertEqual(len(tags), 1)

    def test_bad_input_is_an_error_that_names_it(self):
        released = memoryview(b"message")
        released.release()
        for error, text, call in (
            (ValueError, "a key of 5 bytes", lambda: parcrypt.gmac(b"short", bytes(12), b"")),
            (ValueError, "a nonce of 0 bytes", lambda: parcrypt.gmac(bytes(16), b"", b"")),
            (ValueError, "a nonce of 17 bytes", lambda: parcrypt.vmac(bytes(16), bytes(17), b"")),
            (ValueError, "tag_bits is 96", lambda: parcrypt.vmac(bytes(16), bytes(8), b"", tag_bits=96)),
            (TypeError, "message: expected bytes", lambda: parcrypt.gmac(bytes(16), bytes(12), None)),
            (ValueError, "message: .* released memoryview", lambda: parcrypt.gmac(bytes(16), bytes(12), released)),
        ):
            with self.assertRaisesRegex(error, text):
                call()

    def test_the_lock_is_released(self):
        message = bytes(50_000_000)
        for mac in (parcrypt.gmac, parcrypt.vmac):
            for threads in (1, 2):
                self.assertTrue(others_run(lambda: mac(bytes(16), b"\0nonce", message, threads=threads)))


@unittest.skipUnless(os.path.isdir("/proc/self/task"), "SKIP python threads they are counted in /proc")
class Threads(unittest.TestCase):
    @staticmethod
    def workers():
        """The ids of the threads of runtimes."""
        found = set()
        for task in os.listdir("/proc/self/task"):
            try:
                with open(f"/proc/self/task/{task}/comm", encoding="utf-8") as file:
                    if file.read().startswith("parcrypt-"):
                        found.add(task)
            except OSError:
                pass  # It has ended.
        return found

    @staticmethod
    def tag(threads):
        return parcrypt.gmac(bytes(16), bytes(12), b"", threads=threads)

    def wait_until(self, condition):
        deadline = time.monotonic() + 60
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(condition(), self.workers())

    def test_calls_use_the_threads_of_calls_before(self):
        self.tag(3)
        # By their ids: a thread has its name some time after it was started.
        first = set(os.listdir("/proc/self/task"))
        for _ in range(5):
            self.tag(3)
            self.assertEqual(set(os.listdir("/proc/self/task")) - first, set())

    def test_no_more_than_256_threads_are_kept(self):
        for threads in (200, 100, 300):
            self.tag(threads)
            self.wait_until(lambda: len(self.workers()) <= 256)

    def test_a_child_after_a_fork_has_threads_of_its_own(self):
        message = bytes(10_000_000)
        tag = lambda: parcrypt.vmac(bytes(16), b"\0nonce", message, threads=2)
        expected = tag()
        child = os.fork()
        if child == 0:
            # By their number, which begins at one: a thread has its name some time after it was started.
            os._exit(0 if tag() == expected and len(os.listdir("/proc/self/task")) > 1 else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


class Documents(unittest.TestCase):
    def test_examples(self):
        for module in (parcrypt, kzg, parcrypt._parcrypt):
            self.assertEqual(doctest.testmod(module).failed, 0)
        # Functions of the native module, which doctest does not look into.
        finder, runner, found = doctest.DocTestFinder(), doctest.DocTestRunner(), 0
        for name in ("gmac", "vmac", "scrypt", "scrypt_many", "BlobCells", "CellVerifier", "Settings"):
            item = getattr(parcrypt._parcrypt, name)
            for test in finder.find(item, name, module=False, globs=vars(parcrypt._parcrypt).copy()):
                found += len(test.examples)
                self.assertEqual(runner.run(test).failed, 0, name)
        self.assertGreaterEqual(found, 7)
        for document in os.environ["PARCRYPT_DOCUMENTS"].split(":"):
            result = doctest.testfile(document, module_relative=False)
            self.assertEqual(result.failed, 0, document)
            self.assertGreater(result.attempted, 3, document)

    def test_stubs_name_what_there_is(self):
        folder = os.path.dirname(parcrypt.__file__)
        self.assertTrue(os.path.exists(os.path.join(folder, "py.typed")))
        with open(os.path.join(folder, "_parcrypt.pyi"), encoding="utf-8") as file:
            stub = file.read()
        for name in [*dir(kzg.Settings), *dir(kzg.BlobCells), *dir(kzg.CellVerifier), *dir(parcrypt._parcrypt)]:
            if not name.startswith("_"):
                self.assertRegex(stub, rf"(def|class) {name}\b")


if __name__ == "__main__":
    unittest.main()
