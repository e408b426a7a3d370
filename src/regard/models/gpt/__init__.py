"""GPT: configuration, model, key-value cache, compiled step, GPT-2 checkpoints."""
