"""Entry point of a child process: ``python -m gradviz.worker``, started by the host."""

from __future__ import annotations

from gradviz.worker.main import main

if __name__ == "__main__":
    main()
