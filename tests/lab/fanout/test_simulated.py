"""A simulated cluster: its times are those of a formula, and the real dispatcher loses and doubles nothing."""

import json
from collections import Counter

import pytest

from regard.lab.fanout.dispatcher import Dispatcher, Task
from regard.lab.fanout.simulated import Assumptions, SimulatedExecutor


def simulated(
    cluster: Assumptions, seconds: list[float]
) -> tuple[SimulatedExecutor, Dispatcher, Counter[str]]:
    tasks = [Task(str(i), str(i), json.dumps({"seconds": one}), one) for i, one in enumerate(seconds)]
    executor, landed = SimulatedExecutor(cluster), Counter[str]()

    def keep(task: Task, data: bytes) -> str:
        landed[task.key] += 1
        return ""

    dispatcher = Dispatcher(tasks, executor, executor.landed(keep))
    dispatcher.run()
    return executor, dispatcher, landed


def test_without_failures_and_costs_the_makespan_is_that_of_the_longest_first_schedule() -> None:
    free = Assumptions(workers=2, begin=0.0, travel=0.0, land=0.0, hand_out=0.0)
    executor, _, _ = simulated(free, [3.0, 3.0, 2.0, 2.0, 2.0])
    # By hand: 3 + 2 + 2 on one worker, 3 + 2 on the other.
    assert executor.clock == pytest.approx(7.0) and executor.worked == pytest.approx(12.0)


def test_what_the_head_does_takes_its_time() -> None:
    slow = Assumptions(workers=1, begin=5.0, travel=0.5, land=2.0, hand_out=1.0)
    executor, _, _ = simulated(slow, [10.0, 10.0])
    # 5 to begin; twice 1 to hand out, 10 to run, 0.5 to travel, 2 to land.
    assert executor.clock == pytest.approx(5 + 2 * 13.5) and executor.landing == pytest.approx(4.0)


def test_with_failures_and_false_alarms_nothing_is_lost_or_counted_twice() -> None:
    rough = Assumptions(workers=50, failure=300.0, false_alarm=0.5, seed=3)
    _, dispatcher, landed = simulated(rough, [30.0 + i % 7 for i in range(1000)])
    assert dispatcher.tally.lost > 50, "the simulation has no failures to survive"
    assert dispatcher.tally.again > 5, "no answer came after its worker had been given up"
    assert len(landed) == 1000 and set(landed.values()) == {1} and not dispatcher.tally.problems


def test_two_simulations_of_one_seed_are_the_same() -> None:
    rough = Assumptions(workers=5, failure=100.0, seed=1)
    first, second = (simulated(rough, [20.0] * 30)[0] for _ in range(2))
    assert first.clock == second.clock > 120
