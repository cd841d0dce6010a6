"""Exempt the loaded modules of a Spark worker process from garbage collection.

Spark's worker processes run many tasks, one after another, and collect garbage after each. The modules of
pyspark, pandas and pyarrow have some 86,000 objects: checking them takes 40 ms of CPU time, while a task of a
small micro-batch takes 4 ms. Two more processes, with 60,000 objects, plan and commit each micro-batch of a
sink within 1 ms each.
"""

import gc


class Worker:
    """The tasks of the connector in this worker process. Planning and committing are tasks, too."""

    def __init__(self) -> None:
        self._tasks = 0

    def begin_task(self) -> None:
        """Exempt the present objects from garbage collection, before tasks 2, 4, 8, 16, ...

        The first task has loaded what such tasks need, and Spark has just collected the garbage. A process that
        first wrote and later reads loads more modules, which cost a millisecond or two for each task. Objects
        without references are freed as always; only cycles among the exempted objects are never found.
        """
        self._tasks += 1
        if self._tasks >= 2 and self._tasks.bit_count() == 1:
            gc.freeze()


THIS_WORKER = Worker()
"""The state of this process, if it is a worker."""
