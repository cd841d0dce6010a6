import subprocess
import sys

import barnabas


def test_who_looks_for_names_finds_the_drivers() -> None:
    shown = dir(barnabas)
    assert {"Producer", "Consumer", "Admin", "TopicPartition"} <= set(shown)
    assert "import_module" not in shown
    assert all(getattr(barnabas, name) is not None for name in shown)


def test_the_names_cost_nothing_until_one_is_asked_for() -> None:
    program = "import sys, barnabas; dir(barnabas); print('asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"False\n"


def test_a_program_that_closes_nothing_ends_without_a_word() -> None:
    program = """
import barnabas
admin = barnabas.Admin(bootstrap_servers="127.0.0.1:1", bootstrap_refused_timeout_ms=1000)
try:
    admin.list_topics(timeout_s=60)
except barnabas.KafkaError as error:
    print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"ConnectionFailed\n"
    (warned,) = done.stderr.splitlines()
    assert warned.startswith(b"still trying: no broker at 127.0.0.1:1 (Connection refused): ")


def test_a_client_of_a_caught_exception_is_collected_without_a_word_from_asyncio() -> None:
    program = """
import gc, barnabas
def ask():
    admin = barnabas.Admin(bootstrap_servers="127.0.0.1:1", bootstrap_refused_timeout_ms=1000)
    try:
        admin.list_topics(timeout_s=60)
    except barnabas.KafkaError as error:
        mine = error
ask()
print(gc.collect() > 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"True\n"
    (warned,) = done.stderr.splitlines()
    assert warned.startswith(b"still trying: no broker at 127.0.0.1:1 (Connection refused): ")
