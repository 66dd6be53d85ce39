# SPDX-License-Identifier: MIT
"""What tools/release goes by: one version, and wraps that pin what they fetch. Builds nothing and fetches
nothing.

    test_release.py ROOT VERSION
"""
import configparser
import os
import re
import subprocess
import sys
import unittest

ROOT, VERSION = os.path.abspath(sys.argv[1]), sys.argv[2]


class Release(unittest.TestCase):
    def test_version_is_in_one_place(self):
        """Beside meson.build, CHANGELOG.md alone may say it."""
        found = set()
        for where, folders, names in os.walk(ROOT):
            folders[:] = [f for f in folders if not f.startswith((".", "build", "dist", "subprojects",
                                                                  "obj-")) and
                          not os.path.exists(os.path.join(where, f, "build.ninja"))]
            for name in names:
                if name.endswith((".c", ".h", ".py", ".build", ".in", ".sh", ".md", "control",
                                  "rules")) or "." not in name:
                    with open(os.path.join(where, name), errors="replace") as file:
                        if re.search(rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])", file.read()):
                            found.add(os.path.relpath(os.path.join(where, name), ROOT))
        self.assertEqual(found, {"meson.build", "CHANGELOG.md"})

    def test_changelog_begins_with_it(self):
        with open(os.path.join(ROOT, "CHANGELOG.md")) as file:
            self.assertEqual(re.search(r"^## (\S+), ", file.read(), re.M).group(1), VERSION)

    def test_release_says_what_it_wants(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools/release"), "--help"], text=True,
                              stdout=subprocess.PIPE)
        self.assertIn("--twice", done.stdout)

    def test_wraps_pin_commits(self):
        folder = os.path.join(ROOT, "subprojects")
        wraps = [n for n in os.listdir(folder) if n.endswith(".wrap")]
        self.assertGreaterEqual(len(wraps), 5)
        for name in wraps:
            wrap = configparser.ConfigParser(interpolation=None)
            wrap.read(os.path.join(folder, name))
            with self.subTest(wrap=name):
                self.assertRegex(wrap["wrap-git"]["revision"], "^[0-9a-f]{40}$")
                self.assertTrue(wrap["provide"]["dependency_names"])
                patch = wrap["wrap-git"].get("patch_directory")
                if patch:
                    self.assertTrue(os.path.exists(os.path.join(folder, "packagefiles", patch,
                                                                "meson.build")))


if __name__ == "__main__":
    unittest.main(argv=["test_release.py"] + sys.argv[3:])
