function _check(name, array, n) {
    if (array.length !== n) throw new RangeError(`${name} has ${array.length} numbers instead of ${n}`);
}

