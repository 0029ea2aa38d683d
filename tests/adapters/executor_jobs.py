"""What the workers of the executor tests do: functions that a spawned process can import."""

import os
import signal
import threading
import time


def double(number: int) -> int:
    return 2 * number


def process(_: object) -> int:
    return os.getpid()


def fail_on_odd(number: int) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number


def crash_on_odd(number: int) -> int:
    if number % 2:
        signal.raise_signal(signal.SIGSEGV)
    return number


def sleep_on_odd(number: int) -> int:
    time.sleep(60 * (number % 2))
    return number


def spin_on_odd(number: int) -> int:
    while number % 2:
        pass
    return number


def allocate_megabytes(number: int) -> int:
    return len(bytearray(number << 20))


def print_everywhere(text: str) -> int:
    """As chatty libraries do, by Python and past it."""
    print(text)
    return os.write(1, text.encode())


def return_what_cannot_travel(_: object) -> object:
    return threading.Lock()


def wait_beside(path: str) -> None:
    """Tell the process id in a file, then sleep for long."""
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)


def sleep_for(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def return_megabytes(number: int) -> bytes:
    return bytes(number << 20)
