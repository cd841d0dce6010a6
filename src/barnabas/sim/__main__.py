"""`python -m barnabas.sim`: see `run`."""

from barnabas.sim.run import main

if __name__ == "__main__":
    main(prog_name="python -m barnabas.sim")
