"""The program of `GroupWitness`: answers which signals it has got since the last question."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys


def main(asked: socket.socket, numbers: list[int]) -> None:
    """Answer until the socket is closed.

    Args:
        asked: It sends one byte for each question.
        numbers: The signals to note.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in numbers:
        signal.signal(number, lambda *_: None)
    # Those that have come since this process began arrive now.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
    asked.sendall(b"r")
    while asked.recv(1):
        found = b""
        while select.select([read], [], [], 0)[0]:
            found += os.read(read, 4096)
        asked.sendall(bytes([min(len(found), 255)]) + found[:255])


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), [int(each) for each in sys.argv[2:]])
