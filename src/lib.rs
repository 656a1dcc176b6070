//! Robot dynamics specialised at compile time.
