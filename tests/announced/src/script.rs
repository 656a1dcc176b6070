//! The build script once more, for a test to run.

#[path = "../build.rs"]
mod build;

fn main() -> Result<(), rbd_build::Error> {
    build::main()
}
