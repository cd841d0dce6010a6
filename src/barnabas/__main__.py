"""`python -m barnabas` is the command `barnabas`."""

from barnabas.cli.main import main

main()
