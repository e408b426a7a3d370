import pytest

from regard.lab.book.site.claims import claims_page


@pytest.mark.slow
def test_every_claim_is_listed_once_with_its_link(contents) -> None:
    body = claims_page(contents).body
    assert body.count("<li>") == sum(len(run.verdicts) for run in contents.runs)
    assert (
        'href="/experiments/heights.html#heights-claim-depth-m"' in body
        and "expected at least 1, measured 0.1" in body
    )
    assert body.index('id="claims-text"') < body.index('id="claims-theory"')
