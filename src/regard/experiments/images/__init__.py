"""Experiments on images: padding, rotation, patches, segmentation."""
