"""What a convolutional network makes of turned pictures."""
