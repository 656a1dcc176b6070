//! What the compiler says where the macro is called wrongly. `TRYBUILD=overwrite cargo test -p ui-tests` writes the
//! expected messages anew; read them before committing.

use std::fs;
use std::path::Path;

/// Every file in `cases` fails to compile, with the message beside it.
#[test]
fn wrong_calls_are_refused_with_a_message_that_helps() {
    copy_robots();
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}

/// The cases are compiled as a crate inside the target folder, and their paths count from there.
fn copy_robots() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let to = target.join("tests/trybuild/ui-tests/robots");
    fs::create_dir_all(&to).expect("a folder for robots");
    for file in from.read_dir().expect("robots").map(|f| f.expect("a file")) {
        fs::copy(file.path(), to.join(file.file_name())).expect("a copy");
    }
}
