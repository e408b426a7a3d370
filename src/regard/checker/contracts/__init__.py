"""One file per contract: stub, adapter, cases, laws, and the mistakes it can name."""
