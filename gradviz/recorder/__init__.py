"""How a trace is made: what runs beside the user's code, and never in its way."""
