"""A server that stops closes all its connections, whatever state they are in."""

import gc
import socket
import threading

import pytest

from tests.vendors import vendor_server


@pytest.mark.parametrize("tls", [None, "valid"])
def test_connections_that_are_accepted_while_the_server_stops(tls):
    """The warning of an object that is collected while it is open is an error of this test."""
    with vendor_server("openai", tls=tls) as server:
        http, free = server.http, threading.Event()
        http._loop.call_soon_threadsafe(free.wait)
        clients = [socket.create_connection(("127.0.0.1", http.port)) for _ in range(5)]
        http.stop()  # the loop finds this request and the new connections at once
        free.set()
    for client in clients:
        client.close()
    gc.collect()


@pytest.mark.parametrize("tls", [None, "valid"])
def test_connections_that_send_nothing(tls):
    with vendor_server("openai", tls=tls) as server:
        clients = [socket.create_connection(("127.0.0.1", server.http.port)) for _ in range(5)]
    for client in clients:
        client.close()
    gc.collect()
