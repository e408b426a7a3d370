"""A signal to a process that has just ended leaves its exit code as it is."""

import asyncio
import signal
import sys
import time

from regard.web.signals import end, interrupt


def test_the_exit_code_stays() -> None:
    async def go() -> int:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(7)")
        time.sleep(1.0)  # it has ended, and asyncio had no turn to notice
        interrupt(process)
        code = await process.wait()
        interrupt(process)
        return code

    assert asyncio.run(go()) == 7


def test_a_process_that_runs_is_reached() -> None:
    async def go() -> int:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(60)")
        end(process)
        return await process.wait()

    assert asyncio.run(go()) == -signal.SIGKILL
