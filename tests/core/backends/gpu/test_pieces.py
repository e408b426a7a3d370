"""Long rows in pieces: every entry once, in order."""

import torch

from regard import Edges
from regard.core.backends.gpu.pieces import LONG, pieces


def test_pieces_cover_the_long_rows_and_no_others() -> None:
    counts = torch.tensor([0, LONG, LONG + 1, 3, 3 * LONG])
    target = torch.arange(5).repeat_interleave(counts)
    source = torch.cat([torch.arange(count) for count in counts.tolist()])
    side = Edges(source, target, sizes=(5, 3 * LONG)).targets
    cut = pieces(side)
    assert cut.rows.tolist() == [2, 4]
    assert cut.row.tolist() == [2, 2, 4, 4, 4]
    assert (cut.end - cut.begin).tolist() == [LONG, 1, LONG, LONG, LONG]
    assert cut.begin[1:].sub(cut.end[:-1]).tolist() == [0, 3, 0, 0]
    assert cut.first.tolist() == [0, 2, 5]
    assert pieces(side) is cut
