#!/usr/bin/env python3
"""Tests of .ci/arrows and .ci/links: what is right passes, and each kind of wrong is named."""

import copy
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


arrows = load("arrows")
links = load("links")

MAP = """# Map
```arrows
cpu     ->
runtime -> cpu
sum     -> cpu runtime
kzg (planned) -> sum
lab     ->
cli     -> sum lab   # the command
testkit -> runtime
dev * -> testkit
only runtime: rayon rayon-core
```
"""


def package(name, crate, *dependencies):
    return {
        "name": name,
        "manifest_path": f"/nowhere/crates/{crate}/Cargo.toml",
        "dependencies": [{"name": to, "kind": kind} for to, kind in dependencies],
    }


METADATA = {
    "packages": [
        package("parcrypt-cpu", "cpu", ("libc", None)),
        package("parcrypt-runtime", "runtime", ("parcrypt-cpu", None), ("rayon", None), ("parcrypt-testkit", "dev")),
        package("parcrypt-sum", "sum", ("parcrypt-runtime", None), ("parcrypt-testkit", "dev")),
        package("parcrypt-lab", "lab", ("serde", None)),
        package("parcrypt", "cli", ("parcrypt-sum", None), ("parcrypt-lab", None)),
        package("parcrypt-testkit", "testkit", ("parcrypt-runtime", None)),
    ]
}
CRATES = {"cpu", "runtime", "sum", "lab", "cli", "testkit"}


class Arrows(unittest.TestCase):
    def check(self, metadata=METADATA, folders=frozenset(CRATES), text=MAP):
        return arrows.check(metadata, set(folders), text)

    def with_arrow(self, crate, name, kind=None):
        metadata = copy.deepcopy(METADATA)
        for found in metadata["packages"]:
            if arrows.pathlib.Path(found["manifest_path"]).parent.name == crate:
                found["dependencies"].append({"name": name, "kind": kind})
        return self.check(metadata)

    def test_what_is_right_passes(self):
        self.assertEqual(self.check(), [])

    def test_an_arrow_that_is_not_allowed(self):
        for kind in [None, "build", "dev"]:
            (problem,) = self.with_arrow("sum", "parcrypt-lab", kind)
            self.assertIn("crates/sum/Cargo.toml:1: sum -> lab is not allowed", problem)
            self.assertIn("ARCHITECTURE.md:5, which is `sum     -> cpu runtime`", problem)
        self.assertEqual(len(self.with_arrow("lab", "parcrypt-sum")), 1)
        self.assertEqual(len(self.with_arrow("lab", "parcrypt-runtime")), 1)
        self.assertEqual(len(self.with_arrow("sum", "parcrypt")), 1)

    def test_the_testkit_is_for_tests(self):
        self.assertEqual(len(self.with_arrow("sum", "parcrypt-testkit", None)), 1)
        self.assertEqual(self.with_arrow("lab", "parcrypt-testkit", "dev"), [])

    def test_a_crate_from_elsewhere_that_is_not_theirs(self):
        for kind in [None, "dev"]:
            (problem,) = self.with_arrow("sum", "rayon", kind)
            self.assertIn("sum -> rayon: only `runtime` may use it (ARCHITECTURE.md:11)", problem)
        self.assertEqual(self.with_arrow("runtime", "rayon-core"), [])

    def test_crates_and_map_name_each_other(self):
        (problem,) = self.check(folders=CRATES | {"ntt"})
        self.assertIn("crates/ntt is not in ARCHITECTURE.md", problem)
        (problem,) = self.check(folders=CRATES | {"kzg"})
        self.assertIn("crates/kzg exists: take `(planned)` away", problem)
        (problem,) = self.check(text=MAP.replace("dev *", "mac -> cpu\ndev *"))
        self.assertIn("there is no crates/mac", problem)

    def test_rules_that_cannot_be(self):
        for old, new, why in [
            ("```arrows", "```", "no block"),
            ("cpu runtime", "cpu, runtime", "is no rule"),
            ("-> cpu runtime", "-> cpu nobody", "no line of its own"),
            ("-> cpu runtime", "-> cpu cli", "nothing imports `cli`"),
            ("-> cpu runtime", "-> cpu testkit", "is for tests alone"),
            ("lab     ->", "lab     -> sum", "imports no kernel"),
            ("lab     ->", "sum     -> cpu", "a second line"),
        ]:
            (problem,) = self.check(text=MAP.replace(old, new))
            self.assertIn(why, problem)

    def test_the_line_of_a_dependency(self):
        with tempfile.TemporaryDirectory() as folder:
            manifest = pathlib.Path(folder, "Cargo.toml")
            manifest.write_text("[dependencies]\nrayon-core = 1\nrayon.workspace = true\n[dev-dependencies.cc]\n")
            self.assertEqual([arrows.line_of(manifest, n) for n in ["rayon", "rayon-core", "cc", "x"]], ["3", "2", "4", "1"])


class Links(unittest.TestCase):
    def test_links(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "docs").mkdir()
            (root / "there.md").write_text("## x\n")
            document = root / "docs" / "a.md"
            document.write_text(
                "[a](../there.md#x) [b](https://x.example/gone) [c](#here-it-is-x) `[d](gone)`\n"
                "```\n[e](gone)\n```\n"
                "![f](gone.png 'title') [g](../../out)\n"
                "[h]: gone.md\n"
                "# Here it is: `x`\n[i](#here-it-is-x) [j](../there.md#gone)\n"
            )
            self.assertEqual(
                links.broken(document, root),
                [
                    "docs/a.md:5: gone.png does not exist",
                    "docs/a.md:5: ../../out leads out of the repository",
                    "docs/a.md:6: gone.md does not exist",
                    "docs/a.md:8: ../there.md has no heading #gone",
                ],
            )

    def test_pages_of_the_book(self):
        with tempfile.TemporaryDirectory() as folder:
            book = pathlib.Path(folder).resolve() / "docs"
            book.mkdir()
            summary, listed, missing = book / "SUMMARY.md", book / "listed.md", book / "missing.md"
            summary.write_text("[a](listed.md) `[b](missing.md)`\n")
            self.assertEqual(
                links.unlisted(book, [summary, listed, missing]),
                ["docs/missing.md: docs/SUMMARY.md lists it 0 times, not once"],
            )


if __name__ == "__main__":
    unittest.main()
