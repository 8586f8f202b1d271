"""Reads and writes the files of tests/support/ptx_record.cpp."""
import struct


def load(path):
    """Gives the contents (of modules, arguments and buffers) and the records, which name contents by their number."""
    data = open(path, "rb").read()
    assert data[:8] == b"GPRREC01", f"{path} holds no records"
    at, contents, records = 8, [], []
    while at < len(data):
        size = struct.unpack_from("<Q", data, at + 1)[0]
        body = data[at + 9:at + 9 + size]
        if data[at:at + 1] == b"B":
            contents.append(body)
        else:
            records.append(record(body))
        at += 9 + size
    return contents, records


def record(body):
    at = 0

    def numbers(form):
        nonlocal at
        values = struct.unpack_from("<" + form, body, at)
        at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def text():
        nonlocal at
        size = numbers("I")
        at += size
        return body[at - size:at].decode("utf8", "replace")

    r = dict(name=text(), results_as=text(), text=numbers("I"), kernel=text(), grid=numbers("3I"), block=numbers("3I"),
             cluster=numbers("3I"), shared=numbers("I"), cooperative=numbers("I"), arguments=numbers("I"), fault=text())
    r["buffers"] = [numbers("QQII") for _ in range(numbers("I"))]  # address, bytes, contents before, contents after
    return r


class Writer:
    def __init__(self, contents):
        self.contents, self.numbers, self.out = contents, {}, bytearray(b"GPRREC01")

    def content(self, number, other=None):
        data = self.contents[number] if other is None else other
        if data not in self.numbers:
            self.numbers[data] = len(self.numbers)
            self.out += b"B" + struct.pack("<Q", len(data)) + data
        return self.numbers[data]

    def add(self, r, text=None, arguments=None, after=()):
        """Other contents than those that `r` names may be given."""
        def s(words):
            return struct.pack("<I", len(words.encode())) + words.encode()
        module, given = self.content(r["text"], text), self.content(r["arguments"], arguments)
        body = s(r["name"]) + s(r["results_as"]) + struct.pack("<I", module) + s(r["kernel"])
        body += struct.pack("<9I", *r["grid"], *r["block"], *r["cluster"])
        body += struct.pack("<III", r["shared"], r["cooperative"], given)
        body += s(r["fault"]) + struct.pack("<I", len(r["buffers"]))
        for number, (address, size, before, left) in enumerate(r["buffers"]):
            other = after[number] if number < len(after) else None
            body += struct.pack("<QQII", address, size, self.content(before), self.content(left, other))
        self.out += b"R" + struct.pack("<Q", len(body)) + body

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.out)
