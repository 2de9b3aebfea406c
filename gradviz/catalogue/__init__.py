"""Templates of all sentences, and the texts of rules, formulas and diagnoses."""
