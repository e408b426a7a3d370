# contract: rotary
import torch


def rope(x, offset=0):
    for row in x:
        yield row
