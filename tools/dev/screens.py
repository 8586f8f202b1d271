#!/usr/bin/env python3
"""Re-makes the screens in Markdown files, or checks them.

A screen is a fenced block ```console whose first line is "$ COMMAND", run in the repository root; the rest is what the
command prints (stderr after stdout).

    tools/dev/screens.py FILE...             writes the present output into the files
    tools/dev/screens.py --check FILE [N]    fails if screen N (all) of FILE is not what its command prints
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCREEN = re.compile(r"^```console\n\$ (?P<command>.+)\n(?P<output>(?:.*\n)*?)```$", re.MULTILINE)


def printed(command):
    environment = os.environ | {"COLUMNS": "120", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "HOME": "/nonexistent"}
    done = subprocess.run(command, shell=True, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"'{command}' ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return "".join(line.rstrip() + "\n" for line in (done.stdout + done.stderr).splitlines())


def check(file, wanted):
    screens = list(SCREEN.finditer((ROOT / file).read_text()))
    if wanted:
        screens = [screens[wanted - 1]]
    failed = False
    for screen in screens:
        command = screen["command"]
        missing = [word for word in command.split() if word.startswith("build/") and not (ROOT / word).exists()]
        if missing:
            print(f"SKIPPED: {missing[0]} is not built")
            continue
        now = printed(command)
        if now != screen["output"]:
            failed = True
            print(f"{file}: '{command}' prints something else now; tools/dev/screens.py {file} takes it over")
            sys.stdout.writelines(difflib.unified_diff(screen["output"].splitlines(True), now.splitlines(True), "file", "now"))
    return failed


def main(words):
    if not words or words[0] in ("-h", "--help"):
        print(__doc__.strip())
        return
    if words[0] == "--check":
        sys.exit(check(words[1], int(words[2]) if len(words) > 2 else 0))
    for file in words:
        text = (ROOT / file).read_text()
        made = SCREEN.sub(lambda m: f"```console\n$ {m['command']}\n{printed(m['command'])}```", text)
        (ROOT / file).write_text(made)


main(sys.argv[1:])
