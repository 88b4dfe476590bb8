"""proxy.py - stands between a client and a server: counts how often the client sends a text, and can cut the
connection."""
import socket
import threading


class Proxy:
    def __init__(self, port, text):
        self.server, self.text, self.asked, self.pair = port, text, 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.server))
            except OSError:
                client.close()
                continue
            self.pair = [client, server]
            for one, other in ((client, server), (server, client)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.copy, args=(one, other, one is client), daemon=True).start()

    def copy(self, one, other, asks):
        try:
            while True:
                got = one.recv(65536)
                if not got:
                    break
                other.sendall(got)
                self.asked += got.count(self.text) if asks else 0
        except OSError:
            pass
        self.cut([one, other])

    def cut(self, pair=None):
        """Close the connection."""
        for end in pair or self.pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
