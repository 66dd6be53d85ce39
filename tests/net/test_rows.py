# SPDX-License-Identifier: MIT
"""which_row_pays.py: what counts as a change, and a run of two rows. Timings decide nothing here.

test_rows.py BUILD
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import which_row_pays

HERE = pathlib.Path(__file__).resolve().parent


def run(*arguments):
    command = [sys.executable, HERE / "which_row_pays.py", BUILD, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


class Rows(unittest.TestCase):
    def test_what_counts(self):
        bases = [{"same": 1.0, "worse": 1.0, "better": 1.0, "noisy": 1.0, "gone": 1.0},
                 {"same": 1.02, "worse": 1.0, "better": 1.0, "noisy": 2.0, "gone": 1.0}]
        found = which_row_pays.compare({"same": 1.1, "worse": 2.0, "better": 0.5, "noisy": 2.2}, bases)
        self.assertEqual(found["slower"], {"worse": 2.0})
        self.assertEqual(found["faster"], {"better": 0.5})
        self.assertAlmostEqual(found["mean"], (1.1 * 2.2) ** 0.25, places=3)

    def test_two_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "rows.json")
            done = run("--rows", "window,near", "--json", out, "--", "--suite", "strangers", "--kernel",
                       "sobel_uchar4,fft_radix2", "--time", "0.01", "--rounds", "2", "--threads", "1")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(pathlib.Path(out).read_text())
        self.assertEqual(list(found), ["window", "near"])
        self.assertTrue(all(row["mean"] > 0 for row in found.values()))
        self.assertEqual([text.split()[0] for text in done.stdout.splitlines()], ["window", "near"])

    def test_unknown_row(self):
        done = run("--rows", "windows")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no row windows that may be left out; there are ", done.stderr)


BUILD = sys.argv.pop()
unittest.main()
