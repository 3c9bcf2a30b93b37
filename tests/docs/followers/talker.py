"""Reads the talk at the match at the address that it is given until somebody says "bye", and tells each text, and each line lost."""

import json
import sys

from talk import follow_talk


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps(f"lost {why}"), flush=True)


for page in follow_talk(sys.argv[1], sys.argv[2], lost, lambda: print('"found"', flush=True)):
    for message in page["items"]:
        print(json.dumps([message["text"]]), flush=True)
    if [message for message in page["items"] if message["text"] == "bye"]:
        break
