"""Does a linear autoencoder learn the principal components?"""
