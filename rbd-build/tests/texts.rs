//! Tests of texts, in one program: what is generated, options, documents and comments.

mod citations;
mod folders;
mod hashes;
mod kept;
mod methods_at_run_time;
mod options;
mod runtime_functions;
mod toy_target;
mod words;
