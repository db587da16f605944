"""fairseq criterions; the byte models train with fairseq's own."""
