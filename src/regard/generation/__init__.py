"""Generation: from the logits of a model to the tokens that it says."""
