"""What both packages are tested for: that others run during a call, and that Ctrl-C ends it."""

import contextlib
import os
import signal
import sys
import threading
import time


def others_run(call, attempts=200):
    """Whether another thread runs Python during a call.

    The interpreter's lock changes hands where a call releases it, and nowhere else: the interval at which it is taken
    away is longer than the test. On a busy machine the other thread may come too late, so there are several attempts.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        for _ in range(attempts):
            gate, ran = threading.Lock(), []
            gate.acquire()
            thread = threading.Thread(target=lambda: (gate.acquire(), ran.append(True)))
            thread.start()
            time.sleep(0.01)
            gate.release()
            call()
            seen = bool(ran)
            thread.join()
            if seen:
                return True
        return False
    finally:
        sys.setswitchinterval(interval)


def seconds_until_interrupted(call):
    """Seconds until Ctrl-C, which comes soon after the begin, ends a call that would take minutes."""
    # Where the shell ignores it, as for what runs in the background, Python does too.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.monotonic()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            timer.start()
            call()
            timer.join()
            raise AssertionError("the call ended before Ctrl-C")
    finally:
        signal.signal(signal.SIGINT, handler)
    return time.monotonic() - begun
