"""fetch.py - asks the server of --open as pages and others may, in the end as Perfetto's page does; tells what it got.

usage: fetch.py FILE     (what it tells)"""
import http.client
import socket
import subprocess
import sys
import time

PORT = 9001
PAGE = "https://ui.perfetto.dev"
NAME = "127.0.0.1:%d" % PORT
out = open(sys.argv[1], "w", encoding="utf-8", buffering=1)


def ask(what, method="GET", path="/trace.pftrace", headers=None, host=NAME):
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    for name, value in {**({"Host": host} if host else {}), **(headers or {"Origin": PAGE})}.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    sum_ = subprocess.run(["cksum"], input=body, capture_output=True, check=True).stdout.decode().split()[0]
    print("%s: %d, %s may have it, %d bytes%s" % (
        what, answer.status, answer.getheader("Access-Control-Allow-Origin", "no origin"), len(body),
        ", " + sum_ if body else ""), file=out)
    return answer


idle = socket.create_connection(("127.0.0.1", PORT))  # browsers open some that they say nothing by
ask("another path", path="/")
ask("another page", headers={"Origin": "https://ui.perfetto.dev.example"})
ask("another name of this machine", host="rebound.example:9001")
ask("no name", host=None)
ask("another method", method="POST")
first = ask("asked first", method="OPTIONS", headers={
    "Origin": PAGE, "Access-Control-Request-Method": "GET", "Access-Control-Request-Private-Network": "true"})
assert first.getheader("Access-Control-Allow-Private-Network") == "true"
with socket.create_connection(("127.0.0.1", PORT)) as other:
    other.sendall(b"\0" * 20000)
    try:
        print("no HTTP: %s" % (other.recv(100) or "nothing"), file=out)
    except ConnectionError:
        print("no HTTP: nothing", file=out)
ask("the page")
for attempt in range(600):
    try:
        socket.create_connection(("127.0.0.1", PORT), timeout=1).close()
    except ConnectionRefusedError:
        print("ended", file=out)
        break
    time.sleep(0.1)
