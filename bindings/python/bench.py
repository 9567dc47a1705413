"""How long a request takes: medians on the sample school of 1,000 learners.

    python bench.py DATASET
"""

import statistics
import sys
import time
from pathlib import Path
from typing import Callable

from rollbook import Engine, Request

HEADERS = {"HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"}
BATCH = 50

REQUESTS = {
    "one learner by id": "/api/v1/adminplus/learners/1000?learner_id=1",
    "marks of a learner, a year": "/api/v1/currplus/learnerassessmentmarks/1000?learner_id=1",
    "all current learners": "/api/v1/adminplus/learners/1000",
}


def median(call: Callable[[], object], rounds: int) -> float:
    """The median of so many rounds, in microseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1000


def main(dataset: Path) -> None:
    # 2026-12-31T12:00:00Z, when every mark of the year is released.
    with Engine.memory(fixed_clock=1_798_718_400) as engine:
        engine.apply(dataset)
        for name, target in REQUESTS.items():
            answer = engine.request(target, headers=HEADERS)
            taken = median(lambda: engine.request(target, headers=HEADERS), 3000)
            print(f"{name:28} {answer.status} {len(answer.body):7} bytes {taken:8.1f} µs")
        batch = [Request(REQUESTS["one learner by id"], headers=HEADERS)] * BATCH
        taken = median(lambda: engine.requests(batch), 300) / BATCH
        print(f"{'one learner, of a batch':28} {'':17} {taken:8.1f} µs")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
