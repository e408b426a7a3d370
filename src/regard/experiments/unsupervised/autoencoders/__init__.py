"""Which autoencoder learns what?"""
