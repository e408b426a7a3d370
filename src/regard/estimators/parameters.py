"""The parameters of an estimator, held to scikit-learn's constraints and told in our three lines."""

import re
from typing import Any

from sklearn.utils._param_validation import InvalidParameterError, StrOptions

from regard.arguments import told
from regard.errors import RegardError, nearest

SAID = re.compile(r"The '(\w+)' parameter of \w+ must be (.*?)\. Got .* instead\.", re.DOTALL)


def validate(estimator: Any) -> None:
    """Raise where a parameter is not what the estimator's `_parameter_constraints` say."""
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        name, wanted = SAID.findall(str(error))[0]
        value = getattr(estimator, name)
        for constraint in estimator._parameter_constraints[name]:
            if isinstance(constraint, StrOptions):
                names = sorted(constraint.options)
                fix = nearest(str(value), names, f"one of {', '.join(names)}")
                raise RegardError(f"no {name} of that name", told(value), fix) from None
        owner = type(estimator).__name__
        raise RegardError(f"{owner}: {name} is {wanted}", f"{name}={told(value)}", f"pass {wanted}") from None
