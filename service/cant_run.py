"""The one error of starting up that is nobody's fault in here."""


class CantRun(Exception):
    """Something outside the program keeps it from running: a taken port, a wrong variable, a database out of reach.

    The text is for the person who typed the command and says what they can do. `service.cli` prints it and ends.
    """
