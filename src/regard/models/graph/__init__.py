"""Graph neural networks: layers, batches, sparse features, conversion."""
