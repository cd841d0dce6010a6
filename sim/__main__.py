"""`python -m sim`: see `run`."""

from sim.runs.run import main

if __name__ == "__main__":
    main(prog_name="python -m sim")
