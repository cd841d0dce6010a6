"""Spark's daemon of Python processes, run by `python -m`; see `barnabas.spark.workers.daemon`."""

from barnabas.spark.workers.daemon import main

if __name__ == "__main__":
    main()
