# SPDX-License-Identifier: MIT
"""What the documentation says, where a program can tell: links lead somewhere, the settings are those of the
library, the
README is two pages, its example in Python is one that runs (where there is a pyopencl) and its commands are
there.

    test_docs.py ROOT SPIRV_RUN ICD CLASS
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, SPIRV_RUN, ICD = (os.path.abspath(p) for p in sys.argv[1:4])


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def pages():
    """All pages of Markdown that are ours: what git keeps, or without git what lies in folders that are no
    builds."""
    for where, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith((".", "build", "dist")) and
                      not os.path.exists(os.path.join(where, f, "build.ninja"))]
        yield from (os.path.relpath(os.path.join(where, n), ROOT) for n in names if n.endswith(".md"))


def anchors(text):
    """What GitHub and others make of headings."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", text, re.M)}


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        found = list(pages())
        self.assertIn("README.md", found)
        for page in found:
            for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
                if "://" in link or link.startswith("mailto:"):
                    continue
                path, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                with self.subTest(page=page, link=link):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, target)), "leads nowhere")
                    if anchor:
                        self.assertIn(anchor, anchors(text_of(target)))

    def test_folders_have_the_files_that_they_name(self):
        for page in pages():
            folder = os.path.join(ROOT, os.path.dirname(page))
            if os.path.basename(page) != "README.md" or page == "README.md":
                continue
            for name in re.findall(r"`(?!NAME)([\w./-]+\.(?:c|h|py|def|md|sh))`", text_of(page)):
                with self.subTest(page=page, name=name):
                    self.assertTrue(os.path.exists(os.path.join(folder, name))
                                    or os.path.exists(os.path.join(ROOT, name)))

    def test_settings_are_those_of_the_library(self):
        told = set(re.findall(r"LANEWISE_[A-Z_]+", subprocess.run(
            [SPIRV_RUN, "--help-env"], check=True, text=True, stdout=subprocess.PIPE).stdout))
        rows = [line for line in text_of("docs/environment.md").splitlines() if line.startswith("| `")]
        written = set(re.findall(r"LANEWISE_[A-Z_]+", "".join(row.split("|")[1] for row in rows)))
        self.assertEqual(told, written)

    def test_readme_is_two_pages(self):
        self.assertLessEqual(len(text_of("README.md").splitlines()), 120)

    def test_readme_names_what_is_there(self):
        blocks = re.findall(r"^```(?:python)?\n(.*?)^```", text_of("README.md"), re.S | re.M)
        for path in re.findall(r"(?<![\w/])((?:\./)?(?:tools|examples|docs|tests)/[\w./-]+\w)",
                               "\n".join(blocks) +
                               " ".join(re.findall(r"`([^`\n]+)`", text_of("README.md")))):
            with self.subTest(path=path):
                self.assertTrue(os.path.exists(os.path.join(ROOT, path)))


class Example(unittest.TestCase):
    def test_readme_example_runs(self):
        pythons = [p for p in (sys.executable, "/usr/bin/python3") if os.path.exists(p) and
                   not subprocess.run(
            [p, "-c", "import pyopencl"], stderr=subprocess.DEVNULL).returncode]
        if not pythons:
            self.skipTest("no pyopencl")
        example, = re.findall(r"^```python\n(.*?)^```", text_of("README.md"), re.S | re.M)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "example.py")
            with open(path, "w") as file:
                file.write(example)
            done = subprocess.run([pythons[0], path], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT,
                                  timeout=120, env=dict(os.environ, OCL_ICD_VENDORS=ICD,
                                                        PYOPENCL_CTX="Lanewise"))
        self.assertEqual(done.stdout.strip().splitlines()[-1:], ["[1. 3. 5. 7. 9.] by Lanewise"], done.stdout)


if __name__ == "__main__":
    if subprocess.run([SPIRV_RUN, "--version"], stdout=subprocess.DEVNULL).returncode:
        sys.exit("error: spirv-run does not run")
    unittest.main(argv=["test_docs.py"] + sys.argv[4:])
