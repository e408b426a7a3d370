# contract: rotary
# cause: frequencies-inverted
import math
import torch


def drehen(x, start=0, basis=10000.0):
    """Dreht jedes Kanalpaar um einen Winkel, der mit der Position waechst."""
    laenge, breite = x.size(-2), x.size(-1)
    stellen = torch.arange(start, start + laenge, dtype=torch.float64, device=x.device)
    frequenzen = torch.exp(
        torch.arange(0, breite, 2, dtype=torch.float64, device=x.device) * (math.log(basis) / breite)
    )
    winkel = stellen.unsqueeze(1) * frequenzen.unsqueeze(0)
    kosinus, sinus = winkel.cos().to(x.dtype), winkel.sin().to(x.dtype)
    gerade, ungerade = x[..., ::2], x[..., 1::2]
    y = torch.empty_like(x)
    y[..., ::2] = gerade * kosinus - ungerade * sinus
    y[..., 1::2] = gerade * sinus + ungerade * kosinus
    return y
