//! Writing to the terminal or to a file.

use comfy_table::{LineStyle, Table, TableStyle};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Why the command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The generator's word on a robot.
    #[error(transparent)]
    Robot(#[from] rbd_build::Error),
    /// What was asked for cannot be.
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
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rbd-");
    #[cfg(unix)]
    {
        // As for any new file, less what the process masks; a temporary file is for its owner only.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let written = builder.tempfile_in(folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|e| e.error)
    });
    written.map(drop).map_err(|e| cannot_write(path, e))
}

/// Makes a folder, and those that it is in, where they are not there.
pub fn make_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|e| cannot_write(path, e))
}

fn cannot_write(path: impl Into<PathBuf>, source: std::io::Error) -> Error {
    rbd_build::Error::Write { path: path.into(), source }.into()
}

/// An empty table with a line above and below the header and at the end; nothing in it is wrapped.
pub fn table<const N: usize>(header: [&str; N]) -> Table {
    let line = LineStyle::none().fill('─').junction('─');
    let mut table = Table::new();
    table.load_style(TableStyle::new().top_border(line).header_separator(line).bottom_border(line));
    table.set_header(header);
    table
}
