from django.db.models import CheckConstraint, Q


def one_of(name: str, **columns: str) -> CheckConstraint:
    """Return the constraint, called `name`, that a column has one of these words."""
    condition = Q(**{f"{column}__in": words.split() for column, words in columns.items()})
    return CheckConstraint(condition=condition, name=name)
