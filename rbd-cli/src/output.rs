//! Writing to the terminal or to a file.

use comfy_table::{LineStyle, Table, TableStyle};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Reason why the command failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The generator's word on a robot.
    #[error(transparent)]
    Robot(#[from] rbd_build::Error),
    /// An impossible request.
    #[error("{0}")]
    Request(String),
}

/// Writes to the standard output. A reader that stops reading (`rbd report .. | head`) is no error.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(cannot_write("the standard output", e)),
        _ => Ok(()),
    }
}

/// Writes the file whole or not at all: beside it first, and then in its place.
pub fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    let written = create_beside(path).and_then(|(mut file, beside)| {
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let moved = written.and_then(|()| std::fs::rename(&beside, path));
        if moved.is_err() {
            // Only this process uses it: it did not exist before.
            let _ = std::fs::remove_file(&beside);
        }
        moved
    });
    written.map_err(|e| cannot_write(path, e))
}

/// A new file in the same folder, and its path.
fn create_beside(path: &Path) -> std::io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let beside = path.with_file_name(format!(".rbd-{}-{number}", std::process::id()));
        match File::create_new(&beside) {
            // Left behind by a process that was killed.
            Err(e) if e.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
            other => return other.map(|file| (file, beside)),
        }
    }
}

/// Makes a folder, and those that it is in, where they are not there.
pub fn make_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|e| cannot_write(path, e))
}

pub fn cannot_write(path: impl Into<PathBuf>, source: std::io::Error) -> Error {
    rbd_build::Error::Write { path: path.into(), source }.into()
}

/// An empty table with a line above and below the header and at the end. Cells are not wrapped.
pub fn table<const N: usize>(header: [&str; N]) -> Table {
    let line = LineStyle::none().fill('─').junction('─');
    let mut table = Table::new();
    table.load_style(TableStyle::new().top_border(line).header_separator(line).bottom_border(line));
    table.set_header(header);
    table
}
