"""The installed library: a program outside the tree finds, builds and runs with it."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

import legato


def command(*arguments, **options):
    done = subprocess.run(
        list(map(str, arguments)), capture_output=True, text=True, check=False, **options
    )
    if done.returncode != 0:
        raise AssertionError(f"{arguments}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Install(legato.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = legato.WORK / "scratch" / "install"
        shutil.rmtree(cls.root, ignore_errors=True)
        command("cmake", "--install", legato.BUILD, "--prefix", cls.root / "prefix")
        cls.library = next((cls.root / "prefix").rglob("liblegato.so.0"))

    def example(self, name, replaced=()):
        """The example program, copied out of the tree, its CMake file changed and built."""
        source, build = self.root / name, self.root / f"{name}-build"
        shutil.copytree(legato.SOURCE / "examples" / "generate", source)
        lists = source / "CMakeLists.txt"
        for before, after in replaced:
            self.assertIn(before, lists.read_text())
            lists.write_text(lists.read_text().replace(before, after))
        command("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.root / 'prefix'}")
        command("cmake", "--build", build)
        return build

    def test_the_static_library_is_found_in_any_prefix(self):
        build = self.example(
            "static",
            [("0.1 REQUIRED", "0.1 REQUIRED COMPONENTS static"), ("legato::legato", "legato::static")],
        )
        needed = command("readelf", "-d", build / "generate")
        self.assertNotIn("liblegato", needed)
        text = command(build / "generate", legato.MODELS / "nano-llama", self.root / "s.engine", "A")
        self.assertIn("memory held at the end: 0", text)

    def test_pkg_config_tells_the_prefix_of_the_installation(self):
        folder = next((self.root / "prefix").rglob("legato.pc")).parent
        flags = command(
            "pkg-config", "--cflags", "legato", env=dict(os.environ, PKG_CONFIG_PATH=str(folder))
        )
        include = re.search(r"-I(\S+)", flags).group(1)
        self.assertTrue((pathlib.Path(include) / "legato" / "legato.h").exists(), flags)

    def test_a_program_outside_the_tree_uses_it(self):
        build = self.example("generate")
        text = command(
            build / "generate", legato.MODELS / "nano-llama", self.root / "x.engine", "The fox"
        )
        self.assertIn("The fox", text)
        self.assertIn("truncated and restored: same", text)
        self.assertIn("memory held at the end: 0", text)
        planned, held = re.search(r"plan: (\d+) bytes, memory held: (\d+)", text).groups()
        self.assertEqual(planned, held)

    def test_symbols_are_versioned_and_nothing_else_is_exported(self):
        lines = command("nm", "-D", "--defined-only", "--demangle", self.library).splitlines()
        names = [line.split(" ", 2)[2] for line in lines if " A " not in line]
        self.assertGreater(len(names), 30)
        for name in names:
            self.assertIn("legato::v1::", name)
            self.assertIn("@@LEGATO_0.1", name)

    def test_public_headers_include_nothing_of_the_source(self):
        include = self.root / "prefix" / "include"
        for header in include.rglob("*.h"):
            for line in header.read_text().splitlines():
                if line.startswith('#include "'):
                    self.assertTrue(line.startswith('#include "legato/'), f"{header}: {line}")

    def test_the_installed_program_runs(self):
        program = self.root / "prefix" / "bin" / "legato"
        self.assertRegex(command(program, "--version"), r"^legato \d")


if __name__ == "__main__":
    unittest.main()
