"""Makes the wheels of fencepost, with the standard library alone.

usage: wheel.py --binary FILE --version 0.1.0 --platform TAG [--out DIR]

    A wheel that holds the program, for one platform: manylinux2014_x86_64.musllinux_1_1_x86_64, macosx_11_0_arm64, win_amd64.

As the build backend of pyproject.toml (PEP 517) it makes the wheel that pre-commit installs from a checkout of this repository:
no code, and a dependency on the program's wheel of the version that pyproject.toml says.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import stat
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "fencepost"  # on PyPI
EPOCH = (2020, 1, 1, 0, 0, 0)  # the same input makes the same wheel


def metadata(name, version, requires=()):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        "Summary: Finds synchronization bugs in GPU kernels (CuTe DSL, CUDA C++, PTX) and shows the interleaving that breaks.",
        "Home-page: https://github.com/fencepost-dev/fencepost",
        "License: Apache-2.0",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    lines += [f"Requires-Dist: {r}" for r in requires]
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


class Wheel:
    """A wheel that is being written; its record comes last."""

    def __init__(self, out, name, version, tags):
        self.file = f"{name.replace('-', '_')}-{version}-{tags}.whl"
        self.info = f"{name.replace('-', '_')}-{version}.dist-info"
        self.data = f"{name.replace('-', '_')}-{version}.data"
        self.record = []
        out = pathlib.Path(out)
        out.mkdir(parents=True, exist_ok=True)
        self.zip = zipfile.ZipFile(out / self.file, "w", zipfile.ZIP_DEFLATED)

    def add(self, name, content, mode=0o644):
        if isinstance(content, str):
            content = content.encode()
        entry = zipfile.ZipInfo(name, EPOCH)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (stat.S_IFREG | mode) << 16
        self.zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, name, version, tags, pure, requires=()):
        python, abi, platforms = tags.split("-")
        lines = ["Wheel-Version: 1.0", "Generator: fencepost packaging/wheel.py", f"Root-Is-Purelib: {'true' if pure else 'false'}"]
        lines += [f"Tag: {python}-{abi}-{p}" for p in platforms.split(".")]
        self.add(f"{self.info}/METADATA", metadata(name, version, requires))
        self.add(f"{self.info}/WHEEL", "\n".join(lines) + "\n")
        self.add(f"{self.info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
        self.add(f"{self.info}/RECORD", "\n".join(self.record + [f"{self.info}/RECORD,,"]) + "\n")
        self.zip.close()
        return self.file


def program(out, binary, version, platform):
    """The wheel that holds the program: pip puts it among the scripts."""
    tags = f"py3-none-{platform}"
    w = Wheel(out, NAME, version, tags)
    name = NAME + (".exe" if platform.startswith("win") else "")
    w.add(f"{w.data}/scripts/{name}", pathlib.Path(binary).read_bytes(), 0o755)
    return w.close(NAME, version, tags, pure=False)


def project():
    """The name and the version of pyproject.toml, which Python before 3.11 cannot read."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return [re.search(rf'^{key} = "([^"]+)"$', text, re.MULTILINE).group(1) for key in ("name", "version")]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, version = project()
    w = Wheel(wheel_directory, name, version, "py3-none-any")
    return w.close(name, version, "py3-none-any", pure=True, requires=[f"{NAME}=={version}"])


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("fencepost: the program is on PyPI as wheels; from source: go install github.com/fencepost-dev/fencepost/cmd/fencepost@latest")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--out", default="dist")
    args = parser.parse_args()
    version = args.version.removeprefix("v") if hasattr(str, "removeprefix") else re.sub("^v", "", args.version)
    print(os.path.join(args.out, program(args.out, args.binary, version, args.platform)))


if __name__ == "__main__":
    main()
