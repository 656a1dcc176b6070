//! Room on the stack for functions of the runtime that keep their arrays there.

/// Runs a function that takes at most `bytes` bytes of stack.
///
/// It runs on another stack if too little is left of the thread's own. Threads have two megabytes unless they
/// ask for more, and functions of the largest robots take several.
pub fn with_stack<R>(bytes: usize, run: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(bytes + SPARE, bytes + 2 * SPARE, run)
}

/// Bytes of stack that are left for whatever the function calls.
const SPARE: usize = 64 * 1024;
