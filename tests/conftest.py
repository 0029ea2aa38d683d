"""The network is closed: a socket that leaves this machine, or a name looked up, is an error in every test."""

import ipaddress
import sys

_HERE = {"localhost", "", None}


def _is_here(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in _HERE or not isinstance(name, str):
        return name in _HERE
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _refuse_network(event: str, arguments: tuple) -> None:
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else "localhost"  # a path: a socket of this machine
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if not _is_here(host):
        raise PermissionError(f"tests have no network: {event} {host!r}")


sys.addaudithook(_refuse_network)
