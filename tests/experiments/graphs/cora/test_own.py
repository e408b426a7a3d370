"""What is said of a graph of a person's own follows its numbers."""

import torch

from regard.experiments.graphs.cora.nodes import NODES, NodeTask
from regard.experiments.graphs.cora.own import said_of_own


def test_who_leads_on_a_graph_of_ones_own_follows_the_numbers() -> None:
    task = object.__new__(NodeTask)
    task.words = NODES
    task.labels = torch.tensor([0, 0, 1, 1, 1, 0])
    task.train, task.test = torch.tensor([0, 1, 2]), torch.tensor([3, 4, 5])

    def told(*gat: float) -> str:
        gcn = dict.fromkeys(range(len(gat)), 50.0)
        return said_of_own(task, {"GCN": gcn, "GAT": dict(enumerate(gat))})

    assert "attention leads by 10.0 points" in told(59.9, 60.0, 60.1)
    assert "convolution leads by 10.0 points" in told(39.9, 40.0, 40.1)
    assert "not settled" in told(40.0, 60.0) and "one seed cannot say" in told(60.0)
    assert "The most frequent class alone would be right on 33.3 %" in told(60.0)
