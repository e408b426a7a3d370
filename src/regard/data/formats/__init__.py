"""File formats: music scores, brain scans, pictures."""
