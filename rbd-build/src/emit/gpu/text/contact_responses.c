const unsigned first = part * WIDTH, columns = ROWS - first < WIDTH ? ROWS - first : WIDTH;
PRODUCT
RBD_WHOLLY_UNROLLED
for (unsigned i = 0; i < SIZE; i++) {
    RBD_WHOLLY_UNROLLED
    for (unsigned c = 0; c < WIDTH; c++) {
        if (c < columns) RBD_AT(responses, (first + c) * SIZE + i) = x[c][i];
    }
}
