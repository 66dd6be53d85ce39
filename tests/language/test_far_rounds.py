#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which loops of far_rounds.cl get a copy in which the work-group goes through a round together: those that
all work-items come to, and no others, however their results come out.

    test_far_rounds.py SPIRV_RUN MODULE.spv
"""
import os
import subprocess
import sys
import unittest

COPIES = {"far_sums": 1, "far_branches": 1, "far_unsigned": 1, "far_local": 1, "far_own": 0, "far_guarded": 0,
          "far_largest": 2}


class FarRounds(unittest.TestCase):
    def test_copies(self):
        for kernel, count in COPIES.items():
            told = subprocess.run(
                [SPIRV_RUN, "-k", kernel, "-g", "512", "-w", "256", "--explain", MODULE, "u32[131072]",
                 "u32[4096]=rand:1", "507", "local:16384"], capture_output=True, text=True, check=False,
                env=dict(os.environ, LANEWISE_CACHE="0", LANEWISE_TIER="specialised"))
            self.assertEqual(told.returncode, 0, told.stderr)
            copies = (told.stdout + told.stderr).count("rounds far apart in memory")
            self.assertEqual(copies, count, kernel)


if __name__ == "__main__":
    SPIRV_RUN, MODULE = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
