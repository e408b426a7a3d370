"""What is read from the text of experiments is what they say themselves."""

from regard.lab import registry
from regard.web.preview import previews


def test_the_preview_is_what_importing_gives() -> None:
    found = {one["name"]: one for one in previews()}
    assert set(found) == set(registry.names())
    for experiment in registry.everything():
        seen = found[experiment.name]
        assert (seen["chapter"], seen["question"]) == (experiment.chapter, experiment.question)
        assert seen["title"] == experiment.title != ""
        assert seen["seconds"] in (experiment.seconds, None)


def test_it_needs_no_torch() -> None:
    import subprocess
    import sys

    script = "import sys; from regard.web.preview import previews; previews(); print('torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


def test_many_threads_may_ask_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from regard.web import preview

    for _ in range(3):
        preview._previews.cache_clear()
        with ThreadPoolExecutor(8) as pool:
            assert len({id(one) for one in pool.map(lambda _: previews(), range(16))}) == 1
