from regard.lab import registry
from regard.lab.book.replies import REPLIES


def test_every_claim_that_a_course_quotes_settles_its_question() -> None:
    settled = {
        (item, claim.name) for one in registry.everything() for claim in one.claims for item in claim.items
    }
    assert not set(REPLIES.items()) - settled
