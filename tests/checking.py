"""The type checker that the tests put on every function of the package: beartype, for which a whole number is a number."""

from beartype import BeartypeConf, beartype

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
