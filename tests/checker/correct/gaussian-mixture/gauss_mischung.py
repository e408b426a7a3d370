# contract: gaussian-mixture
import numpy as np


class GaussMischung:
    """Mischung von Gaussglocken mit diagonaler Kovarianz."""

    def __init__(self, anzahl=3, schritte=80, saat=1):
        self.anzahl = anzahl
        self.schritte = schritte
        self.saat = saat

    def anpassen(self, daten):
        zufall = np.random.default_rng(self.saat)
        n, d = daten.shape
        self.mittel = daten[zufall.choice(n, self.anzahl, replace=False)]
        self.varianz = np.tile(daten.var(axis=0), (self.anzahl, 1))
        self.gewicht = np.full(self.anzahl, 1 / self.anzahl)
        for _ in range(self.schritte):
            anteil = self.zugehoerigkeit(daten)
            masse = anteil.sum(axis=0)
            self.gewicht = masse / n
            self.mittel = anteil.T @ daten / masse[:, None]
            self.varianz = anteil.T @ daten**2 / masse[:, None] - self.mittel**2 + 1e-6
        return self

    def _einzeln(self, daten):
        abstand = (daten[:, None] - self.mittel) ** 2 / self.varianz
        return np.log(self.gewicht) - 0.5 * (abstand + np.log(2 * np.pi * self.varianz)).sum(-1)

    def log_dichte(self, daten):
        terme = self._einzeln(daten)
        oben = terme.max(1)
        return oben + np.log(np.exp(terme - oben[:, None]).sum(1))

    def zugehoerigkeit(self, daten):
        return np.exp(self._einzeln(daten) - self.log_dichte(daten)[:, None])
