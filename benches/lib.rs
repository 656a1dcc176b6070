//! The benches are beside this file.
