# contract: rotary
# cause: cos-sin-swapped
import torch


def drehe(x, offset=0, base=10000.0):
    """Rotary positions: dreht Kanal i zusammen mit Kanal i + d/2."""
    anzahl, breite = x.shape[-2], x.shape[-1]
    halb = breite // 2
    stelle = torch.arange(offset, offset + anzahl, device=x.device, dtype=x.dtype)
    frequenz = base ** (-2 * torch.arange(halb, device=x.device, dtype=x.dtype) / breite)
    winkel = stelle[:, None] * frequenz
    sinus, kosinus = torch.cos(winkel), torch.sin(winkel)
    a, b = x[..., :halb], x[..., halb:]
    return torch.cat([a * kosinus - b * sinus, a * sinus + b * kosinus], dim=-1)
