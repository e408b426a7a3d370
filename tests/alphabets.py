"""Short texts in several alphabets, written for the tests, and the words of a training that takes a second."""

RUSSIAN = "Жили-были старик со старухой.\nСнесла курочка яичко.\nСтарик бил, бил, не разбил.\n"
GREEK = "Ἄνδρα μοι ἔννεπε, Μοῦσα, πολύτροπον, ὃς μάλα πολλὰ\nπλάγχθη, ἐπεὶ Τροίης ἱερὸν πτολίεθρον ἔπερσεν.\n"
CHINESE = "道可道，非常道。名可名，非常名。無名天地之始；有名萬物之母。故常無欲，以觀其妙。\n"
DIGITS = "3141592653589793238462643383279502884197169399375105820974944592307816406286\n"
ALPHABETS = {"russian": RUSSIAN, "greek": GREEK, "chinese": CHINESE, "digits": DIGITS}
SMALL = ("model.depth=1", "model.heads=1", "model.width=8", "batch=2")
TINY = ("--steps", "4", *(word for one in SMALL for word in ("--set", one)))
"As small as a training of `regard train` may be."
