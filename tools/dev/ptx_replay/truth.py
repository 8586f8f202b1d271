"""truth.py RECORDS REPORT GPU_BIN OUT: the records that ran on the GPU, with what it left in memory in place of the engine's."""
import re
import struct
import sys

from recs import Writer, load

contents, records = load(sys.argv[1])
ran, differ = set(), set()
for line in open(sys.argv[2], errors="replace"):
    found = re.match(r"(OK|NAN|DIFF) #(\d+) ", line)
    if found:
        ran.add(int(found[2]))
        if found[1] != "OK":
            differ.add(int(found[2]))
left, at, data = {}, 0, open(sys.argv[3], "rb").read()
while at < len(data):
    record, buffer, size = struct.unpack_from("<IIQ", data, at)
    left[record, buffer] = data[at + 16:at + 16 + size]
    at += 16 + size
out = Writer(contents)
for number in sorted(ran):
    if number in differ and not any((number, buffer) in left for buffer in range(len(records[number]["buffers"]))):
        print("not kept, as the GPU's results were too large to be saved:", number, records[number]["name"])
        continue
    r = dict(records[number])
    r["name"] = f"#{number} " + r["name"]
    out.add(r, after=[left.get((number, buffer)) for buffer in range(len(r["buffers"]))])
out.save(sys.argv[4])
print(len(ran), "records ran,", len(differ), "differed")
