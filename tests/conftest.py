"""For every test: time is not judged in examples of properties, and Ctrl-C is what it is in a terminal."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts a job in the background has it ignore SIGINT, and all that the job starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    # As nohup has it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
