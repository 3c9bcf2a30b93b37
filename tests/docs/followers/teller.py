"""Says in words all that it is given: events, choices and tables, a line of JSON each."""

import json
import sys

from words import Words

given = json.load(sys.stdin)
words = Words(given["game"], given["shared"], given["schemas"], given["language"])
words.names = given["names"]
for told in (map(words.sentence, given["events"]), map(words.choice, given["choices"]), map(words.picture, given["tables"])):
    print(json.dumps(list(told)))
print(json.dumps(list(map(words.who, given["seats"]))))
