//! How many bits values need.
