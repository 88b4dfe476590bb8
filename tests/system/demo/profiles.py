"""profiles.py - what trace-cmd report --profile tells, as numbers."""
import re
import subprocess


def read_profile(path):
    """(task, event): how often, total, maximum and minimum in ns."""
    report = subprocess.run(["trace-cmd", "report", "--profile", path], capture_output=True, text=True, check=True)
    told, pid = {}, None
    for text in report.stdout.splitlines():
        task = re.match(r"task: .*-(\d+)$", text)
        span = re.match(r" +Event: (\S+) \((\d+)\) Total: (\d+) Avg: \d+ Max: (\d+)\(.*\) Min: ?(\d+)\(", text)
        if task:
            pid = int(task.group(1))
        elif span:
            name = span.group(1) if "switch" in span.group(1) else span.group(1).split(":")[0]
            told[pid, name] = tuple(int(value) for value in span.groups()[1:])
    return told
