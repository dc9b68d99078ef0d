#!/usr/bin/env python3
"""Tests the checks in this folder: each way to be wrong is found, and what is right is not."""

import base64
import hashlib
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(pathlib.Path(__file__).resolve().parent / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


arrows, comments, links, locks, size, corpora = (load(name) for name in ("arrows", "comments", "links", "locks", "size", "../scripts/corpora"))
RULES = ["low ->", "mid -> low", "parcrypt -> mid low", "kit -> low", "dev * -> kit", "only low: rayon"]


def found(*dependencies, rules=RULES, crates=("low", "mid", "parcrypt", "kit")):
    """What is found where crates depend on these: (from, to) or (from, to, kind)."""
    packages = [
        {
            "name": f"our-{crate}",
            "manifest_path": f"/x/crates/{crate}/Cargo.toml",
            "dependencies": [
                {"name": to if to in ("rayon", "serde") else f"our-{to}", "kind": (kind or [None])[0]}
                for source, to, *kind in dependencies
                if source == crate
            ],
        }
        for crate in crates
    ]
    return list(arrows.differences(packages, "text\n```arrows\n" + "\n".join(rules) + "\n```\n"))


class Corpora(unittest.TestCase):
    def test_a_damaged_module_is_refused(self):
        # The SHA-256 of the line that has the SHA-256 of `x` and the file's name.
        line = b"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881  m@v1/a\n"
        hashed = "h1:" + base64.b64encode(hashlib.sha256(line).digest()).decode()
        with tempfile.TemporaryDirectory() as folder:
            said = json.dumps({"Dir": folder})
            with mock.patch.multiple(corpora, PINS={"m": ("v1", hashed)}, ran=lambda *_, **__: said):
                pathlib.Path(folder, "a").write_text("x")
                self.assertEqual(corpora.module.__wrapped__("m"), pathlib.Path(folder))
                for name, text in [("a", "y"), ("b", "")]:
                    pathlib.Path(folder, "a").write_text("x")
                    pathlib.Path(folder, name).write_text(text)
                    with self.assertRaisesRegex(SystemExit, "expected h1:"):
                        corpora.module.__wrapped__("m")


class Locks(unittest.TestCase):
    def test_versions(self):
        def lock(*packages):
            entry = '[[package]]\nname = "%s"\nversion = "%s"\nsource = "registry+x"\n'
            return "".join(entry % package for package in packages) + '[[package]]\nname = "ours"\nversion = "1.0.0"\n'

        one, other = lock(("a", "1.2.3"), ("b", "0.2.1"), ("b", "0.3.0")), lock(("a", "1.10.0"), ("b", "0.3.0"))
        self.assertEqual(locks.versions({"x": one, "y": other}), {("a", "1"): {"1.2.3": ["x"], "1.10.0": ["y"]}})
        self.assertEqual(locks.versions({"x": one, "y": lock(("b", "0.2.1"))}), {})
        self.assertGreater(locks.order("1.10.0"), locks.order("1.2.3"))


class Size(unittest.TestCase):
    def test_budgets(self):
        self.assertEqual(list(size.differences({"a": 3, "b": 1}, {"a": 3, "b": 2})), [])
        self.assertIn("a: 4, 1 above the budget of 3", list(size.differences({"a": 4}, {"a": 3}))[0])
        self.assertIn("without a budget", list(size.differences({"a": 4}, {}))[0])
        self.assertIn("remove the line", list(size.differences({}, {"a": 4}))[0])

    def test_sizes(self):
        self.assertEqual(set(size.sizes()), set(size.BUDGETS))
        self.assertTrue(all(number > 0 for number in size.sizes().values()))


class Arrows(unittest.TestCase):
    def test_right(self):
        self.assertEqual(found(), [])
        self.assertEqual(found(("parcrypt", "mid"), ("mid", "low", "build"), ("low", "rayon"), ("mid", "serde")), [])
        self.assertEqual(found(("low", "kit", "dev"), ("low", "low", "dev"), rules=[*RULES, ""]), [])

    def test_wrong(self):
        for dependency in (("low", "mid"), ("mid", "parcrypt"), ("low", "kit"), ("low", "mid", "dev"), ("mid", "rayon")):
            self.assertEqual(len(found(dependency)), 1, dependency)

    def test_bad_rules(self):
        for rule in ("new ->", "low -> mid", "mid => low", "only low"):
            self.assertEqual(len(found(rules=[*RULES, rule])), 1, rule)
        for rule in ("mid -> parcrypt", "mid -> kit", "mid -> away"):
            self.assertTrue(found(rules=[rule, *(r for r in RULES if not r.startswith("mid"))]), rule)
        self.assertEqual(len(found(crates=("low", "mid", "parcrypt", "kit", "new"))), 1)
        self.assertTrue(found(rules=[]))


class Comments(unittest.TestCase):
    def test_width(self):
        long = "// " + "word " * 30
        text = "\n".join([long, f"    {long[:100]}", f'let x = "{long}";', f"/// {'x' * 130}", f"    /{long}", f"/// | {long}"])
        self.assertEqual(list(comments.too_long(text)), [1, 5])

    def test_accent(self):
        limits = {pattern: most for pattern, (_, most) in comments.ACCENT.items()}
        text = " passed over " * (limits["passed over"] + 1)
        self.assertEqual(len(list(comments.accent([text, "compassed overland"]))), 1)
        self.assertEqual(list(comments.accent([])), [])


class Links(unittest.TestCase):
    def test_dependencies(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "crates/sum").mkdir(parents=True)
            (root / "crates/sum/Cargo.toml").write_text('[package]\nname = "parcrypt-sum"\n')
            document = root / "README.md"
            example = "```rust\nuse parcrypt_sum::Sum;\n# use parcrypt_testkit::rand;\n```\n"

            def found(path):
                document.write_text(f'```toml\n[dependencies]\nparcrypt-sum = {{ path = "{path}" }}\n```\n' + example)
                return len(links.undeclared(document, root))

            self.assertEqual([found(f"../parcrypt/crates/{name}") for name in ("sum", "gone")], [0, 1])
            document.write_text(example)
            self.assertEqual(len(links.undeclared(document, root)), 1)

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


class Make(unittest.TestCase):
    def test_first_commands(self):
        root = pathlib.Path(__file__).resolve().parent.parent
        listed = subprocess.run(["make", "--no-print-directory"], cwd=root, check=True, capture_output=True, text=True).stdout
        self.assertEqual([line.split()[:2] for line in listed.splitlines()[:2]], [["make", "bench"], ["make", "test"]])


if __name__ == "__main__":
    unittest.main()
