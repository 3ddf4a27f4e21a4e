"""Why an answer is true: layers, demonstrations, proofs, and the notation they are written in.

Knows nothing of cards, of the person's files or of any screen. Texts are carried in both
languages as :class:`engine.text.Text`; nothing here chooses one.
"""

import os

# The matrices here are small: a second thread of the linear algebra library only waits for the
# first, and sums would depend on the number of cores. NumPy reads these once, when it is imported.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_variable, "1")
