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
print(json.dumps([[words.field(table, name) for name in table if name != "game"] for table in given["tables"]]))
for told in (map(words.piece, given["pieces"]), map(words.problem, given["problems"]), map(words.time_left, given["times"])):
    print(json.dumps(list(told)))
for view in given["views"]:
    words.sees(view)
for told in (map(words.sentence, given["left"]), map(words.message, given["messages"]), map(words.winner, given["results"])):
    print(json.dumps(list(told)))
print(json.dumps(words.terms(given["options"])))
