"""Keep the modules of a Spark worker process loaded without searching them again.

Spark's worker processes run many tasks, one after another, and search for garbage after each. There are
some 86 000 objects in the modules of pyspark, pandas and pyarrow: to look through them takes 40 ms of a
processor, where a task of a small micro-batch takes 4 ms. Two more processes plan and commit each
micro-batch of a sink, within 1 ms each, and have 60 000 objects.
"""

import gc


class Worker:
    """A worker process, as far as tasks of ours have run in it. Planning and committing are tasks, too."""

    def __init__(self) -> None:
        self._tasks = 0

    def begin_task(self) -> None:
        """Exempt what is loaded from the search for garbage, at the tasks 2, 4, 8, 16, ...

        The first has loaded what such tasks need, and Spark has just removed what was garbage then.
        A process that wrote at first reads later, and loads more: a millisecond or two for each task.
        Objects are freed as always when nothing refers to them; only cycles among those that are
        there at one of these few moments are never looked for.
        """
        self._tasks += 1
        if self._tasks >= 2 and self._tasks.bit_count() == 1:
            gc.freeze()


THIS_WORKER = Worker()
"""The one that this process is, if it is one."""
