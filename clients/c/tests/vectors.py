"""Writes the shared vectors as C: tables of bytes and numbers that headers.c goes through."""

import json
import sys


def calls(value):
    """The calls of a writer that write this value, and the checks of a reader that read it."""
    (kind, inner), = value.items()
    if kind == "null":
        return ["W(shakedown_put_null(w));"], ["R(SHAKEDOWN_NULL, true);"]
    if kind == "bool":
        truth = "true" if inner else "false"
        return [f"W(shakedown_put_bool(w, {truth}));"], [f"R(SHAKEDOWN_BOOL, i.number.truth == {truth});"]
    if kind == "int":
        number = int(inner)
        if number > 2**63 - 1:
            return [f"W(shakedown_put_unsigned(w, {number}u));"], [f"R(SHAKEDOWN_UNSIGNED, i.number.unsigned_ == {number}u);"]
        text = "INT64_MIN" if number == -(2**63) else f"{number}ll"
        return [f"W(shakedown_put_int(w, {text}));"], [f"R(SHAKEDOWN_INT, i.number.signed_ == {text});"]
    if kind == "float":
        number = {"inf": "INFINITY", "-inf": "-INFINITY"}.get(inner, inner)
        if inner == "nan":
            return ["W(shakedown_put_float(w, NAN));"], ["R(SHAKEDOWN_FLOAT, isnan(i.number.floating));"]
        return [f"W(shakedown_put_float(w, {number}));"], [f"R(SHAKEDOWN_FLOAT, i.number.floating == {number});"]
    if kind in ("text", "bytes"):
        data = inner.encode() if kind == "text" else bytes.fromhex(inner)
        put = "shakedown_put_text_of(w, (const char *)" if kind == "text" else "shakedown_put_bytes(w, "
        name = "SHAKEDOWN_TEXT_KIND" if kind == "text" else "SHAKEDOWN_BYTES"
        literal = array(data)
        return [f"W({put}{literal}, {len(data)}));"], [f"R({name}, i.length == {len(data)} && memcmp(i.data, {literal}, i.length) == 0);"]
    items = inner if kind == "list" else [part for key, item in inner for part in ({"text": key}, item)]
    writes = [f"W(shakedown_put_{kind}(w, {len(inner)}));"]
    reads = [f"R(SHAKEDOWN_{kind.upper()}, i.length == {len(inner)});"]
    for item in items:
        more_writes, more_reads = calls(item)
        writes += more_writes
        reads += more_reads
    return writes, reads


def array(data):
    """Bytes as a compound literal; C has no empty ones."""
    return "((const uint8_t[]){" + (",".join(map(str, data)) or "0") + "})"


def main():
    folder = sys.argv[1]
    with open(f"{folder}/msgpack.json", encoding="utf-8") as file:
        msgpack = json.load(file)
    with open(f"{folder}/random.json", encoding="utf-8") as file:
        random = json.load(file)
    print("/* Made by vectors.py. */")
    print("static void good(void) {")
    for vector in msgpack["good"]:
        data = bytes.fromhex(vector["hex"])
        writes, reads = calls(vector["value"])
        print(f"  BEGIN({array(data)}, {len(data)}) {' '.join(writes)} SAME() {' '.join(reads)} END()")
    print("}\nstatic void also(void) {")
    for vector in msgpack["also"]:
        data = bytes.fromhex(vector["hex"])
        _, reads = calls(vector["value"])
        print(f"  BEGIN({array(data)}, {len(data)}) {' '.join(reads)} END()")
    print("}\nstatic void bad(void) {")
    for vector in msgpack["bad"]:
        data = bytes.fromhex(vector["hex"])
        print(f"  BAD({array(data)}, {len(data)})")
    print("}\nstatic void random_numbers(void) {")
    for vector in random:
        print(f"  SEED(0x{vector['seed']}u)")
        for draw in vector["draws"]:
            print(f"  DRAW(0x{draw}u)")
        for bounded in vector["below"]:
            print(f"  SEED(0x{vector['seed']}u)")
            for number in bounded["numbers"]:
                print(f"  BELOW({bounded['bound']}u, {number}u)")
    print("}")


main()
