"""Runs the `run` steps of action.yml the way a GitHub runner does, with inputs given as JSON.

usage: action.py ACTION_YML INPUTS_JSON

The runner's environment (GITHUB_WORKSPACE, GITHUB_OUTPUT and so on) is the caller's. Steps that use another action are
skipped: they need GitHub. The exit code is that of the first step that fails.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import yaml  # pre-commit's environment has it



def found():
    """Whether the step that fetches the release has said so."""
    with open(os.environ["GITHUB_OUTPUT"], encoding="utf-8") as f:
        return "found=true" in f.read().splitlines()


CONDITIONS = {
    "inputs.spin == 'true' && runner.os == 'Linux'": lambda inputs: inputs["spin"] == "true" and sys.platform == "linux",
    "steps.release.outputs.found != 'true'": lambda inputs: not found(),
}


def expand(text, inputs):
    def value(match):
        name = match.group(1)
        if name == "github.action_ref":
            return os.environ.get("TEST_ACTION_REF", "")
        if not name.startswith("inputs."):
            sys.exit(f"action.py: cannot expand {name}")
        return inputs[name.removeprefix("inputs.")]

    return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", value, text)


def main():
    path, given = sys.argv[1], json.loads(sys.argv[2])
    with open(path, encoding="utf-8") as f:
        action = yaml.safe_load(f)
    unknown = set(given) - set(action["inputs"])
    if unknown:
        sys.exit(f"action.py: unknown inputs: {sorted(unknown)}")
    inputs = {name: given.get(name, spec.get("default", "")) for name, spec in action["inputs"].items()}
    for step in action["runs"]["steps"]:
        if "run" not in step:
            continue
        if "${{" in step["run"]:
            sys.exit(f"action.py: step {step['name']!r} expands text inside its script: inputs must come by env")
        if "if" in step and not CONDITIONS[step["if"]](inputs):
            continue
        env = dict(os.environ, GITHUB_ACTION_PATH=os.path.dirname(os.path.abspath(path)))
        env.update({k: expand(str(v), inputs) for k, v in step.get("env", {}).items()})
        with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as script:
            script.write(step["run"])
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", script.name]
        code = subprocess.run(shell, env=env, cwd=os.environ["GITHUB_WORKSPACE"]).returncode
        os.unlink(script.name)
        if code:
            sys.exit(code)


main()
