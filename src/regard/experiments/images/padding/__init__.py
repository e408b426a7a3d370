"""What a convolution's border tells it about absolute position."""
