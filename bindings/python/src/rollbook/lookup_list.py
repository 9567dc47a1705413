"""The lookup lists that are the same for all schools."""

import enum


class LookupList(str, enum.Enum):
    """A lookup list that is the same for all schools."""

    ETHNIC_GROUP = "ethnic_group"
    """Ethnic groups."""
    MARITAL_STATUS = "marital_status"
    """Marital statuses."""
    GENDER = "gender"
    """Genders."""
    LANGUAGE = "language"
    """Languages."""
