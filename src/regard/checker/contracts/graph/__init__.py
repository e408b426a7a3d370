"""Graph layers: what GCN and GAT share."""
