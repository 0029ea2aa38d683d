"""`python -m finlore` runs the command line."""

from finlore.serve.cli import main

if __name__ == "__main__":
    main()
