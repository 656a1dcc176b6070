//! Messages of the compiler for wrong calls of the macro. `cargo xtask bless` writes the expected
//! messages again; read them before committing.

use std::fs;
use std::path::Path;

/// Every file in `cases` fails to compile, with the message beside it.
#[test]
#[ignore = "compiles rbd and all it needs once more; .ci/everything has it"]
fn wrong_calls_are_refused_with_a_message_that_helps() {
    copy_robots();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    assert!(cases.read_dir().expect("cases").count() > 60, "cases are missing");
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}

/// trybuild compiles the cases as a crate in the target folder. Paths of robots start there.
fn copy_robots() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let to = target.join("tests/trybuild/ui-tests/robots");
    fs::create_dir_all(&to).expect("a folder for robots");
    for file in from.read_dir().expect("robots").map(|file| file.expect("a file")) {
        fs::copy(file.path(), to.join(file.file_name())).expect("a copy");
    }
}
