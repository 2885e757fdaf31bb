"""The paper take-over: one file with everything needed to go on by hand, made by a button and at each publication."""
