"""order.py SESSION INFO ROWS ORDER - whether --info of all inputs tells ORDER, lowest_first or highest_first, as the
order of priorities, and the tasks' rows in a session for KernelShark have that order, by the last priority that the
kernel told of each."""
import json
import sys


def main():
    session, info, rows, order = sys.argv[1:]
    for told in json.load(open(info)):
        if told["priority_order"] != order:
            sys.exit("%s: the order of priorities is %s, not %s" % (told["input"], told["priority_order"], order))
    last = {}
    for line in open(rows):
        event = json.loads(line)
        if event["event"] == "set_priority":
            last[event["fields"]["context"]] = event["fields"]["priority"]
    tasks = [pid for pid in json.load(open(session))["data streams"][0]["TaskPlots"] if pid in last and pid != 0]
    numbers = [last[pid] for pid in tasks]
    if numbers != sorted(numbers, reverse=order == "highest_first") or len(set(numbers)) < 2:
        sys.exit("the rows' priorities are %s, not %s" % (numbers, order))
    print("priorities: %s; %d rows in this order" % (order, len(tasks)))


main()
