"""prepare.py RECORDED OUT [--arch sm_90a] [--only NUMBERS]: recorded launches that ptxas takes for a GPU.

PTX is made fit where that is easy, and each module is given to ptxas; what it does not take is left out, and listed with
its words in OUT.rejects.txt. NUMBERS is a file that begins lines with "#N " (as reports do): only those are kept.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import tempfile

from recs import Writer, load

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("recorded")
options.add_argument("out")
options.add_argument("--arch", default="sm_90a")
options.add_argument("--only")
options = options.parse_args()


def fit(text):
    if re.search(r"\.reg[^;]*%tid\b", text):  # a special register's name
        text = re.sub(r"%tid\b(?!\.)", "%tid_", text)
    if "%outside ret;" in text:  # rows of operands of any type
        text = re.sub(r"\.reg \.[usf](16|32|64) (%[abcde];)", r".reg .b\1 \2", text)
    return re.sub(r"\.target\s+sm_(90|1\d\d)\w*", ".target " + options.arch, text)


def refused(text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        run = subprocess.run(["ptxas", "-arch=" + options.arch, "-o", os.devnull, file.name], capture_output=True, text=True)
    return run.stdout + run.stderr if run.returncode != 0 else ""


def parameter_bytes(text, kernel):
    head = re.search(r"\.entry\s+" + re.escape(kernel) + r"\s*\(([^)]*)\)", text)
    at = 0
    for word in filter(None, (w.strip() for w in (head.group(1) if head else "").split(","))):
        align, count = re.search(r"\.align\s+(\d+)", word), re.search(r"\[(\d+)\]", word)
        bytes_ = int(re.search(r"\.[busf](\d+)", word).group(1)) // 8
        to = int(align.group(1)) if align else bytes_
        at = (at + to - 1) // to * to + bytes_ * (int(count.group(1)) if count else 1)
    return at


contents, records = load(options.recorded)
if options.only:
    wanted = {int(n) for n in re.findall(r"(?m)^(?:[A-Z]+ )?#(\d+) ", open(options.only, errors="replace").read())}
    records = [r for r in records if int(re.match(r"#(\d+) |", r["name"])[1] or -1) in wanted]
texts = {r["text"]: fit(contents[r["text"]].decode()) for r in records}
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    logs = dict(zip(texts, pool.map(refused, texts.values())))
out, kept = Writer(contents), 0
with open(options.out + ".rejects.txt", "w") as rejects:
    for r in records:
        text = texts[r["text"]]
        if logs[r["text"]]:
            rejects.write(f"{r['name']} | {r['fault']} | " + " ".join(logs[r["text"]].split()) + "\n")
            continue
        size, given = parameter_bytes(text, r["kernel"]), contents[r["arguments"]]
        out.add(r, text=text.encode(), arguments=(given + bytes(size))[:size])
        kept += 1
out.save(options.out)
print(len(records), "recorded,", kept, "kept,", sum(map(bool, logs.values())), "modules refused")
