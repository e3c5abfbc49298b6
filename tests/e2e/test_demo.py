"""scripts/demo, twice in a row and from another folder; with the tree that is built already."""

import os
import subprocess
import unittest

import legato


class Demo(legato.TestCase):
    def test_it_tells_a_story_twice(self):
        for _ in range(2):
            done = subprocess.run(
                [legato.SOURCE / "scripts" / "demo", "Once upon a time"],
                cwd="/",
                env=dict(os.environ, LEGATO_PRESET=legato.BUILD.name),
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertGreater(len(done.stdout), 200)
            self.assertRegex(done.stderr, r"decode .* tokens/s")


if __name__ == "__main__":
    if legato.BUILD.parent != legato.SOURCE / "build":
        legato.skip_all("this build tree is not one of a preset")
    unittest.main()
