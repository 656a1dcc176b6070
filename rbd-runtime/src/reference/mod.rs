//! Textbook algorithms over [`Model`](crate::Model), one file each: what generated code is tested against.
