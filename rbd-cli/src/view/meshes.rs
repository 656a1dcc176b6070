//! Meshes beside a URDF: triangles of STL and OBJ files.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Largest file, bytes.
const LARGEST: u64 = 32 << 20;
/// Most triangles of all meshes together: some ten megabytes of the page.
const MOST_TRIANGLES: usize = 400_000;

/// A mesh: corners of triangles, three after one another.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    corners: Vec<[f32; 3]>,
}

/// Meshes by the names that a URDF gives them.
#[derive(Debug)]
pub struct Meshes {
    /// The meshes.
    pub all: Vec<Mesh>,
    folders: Folders,
    known: HashMap<String, Result<usize, String>>,
}

/// Folders that meshes may be in.
#[derive(Debug)]
pub struct Folders {
    /// The URDF's folder and those above it, by their names: a package is one of these.
    above: Vec<PathBuf>,
    /// Folders that packages are in.
    packages: Vec<PathBuf>,
}

impl Folders {
    /// Folders of a URDF, and those that the user names.
    pub fn new(urdf: &Path, packages: &[PathBuf]) -> Self {
        let folder = urdf.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let above = folder.canonicalize().map(|folder| folder.ancestors().map(Path::to_owned).collect());
        Self { above: above.unwrap_or_default(), packages: packages.to_vec() }
    }

    /// The file that a URDF names, within one of the folders.
    fn find(&self, name: &str) -> Result<PathBuf, String> {
        let (package, rest) = match name.split_once("://") {
            Some(("package", path)) => {
                let (package, rest) = path.split_once('/').unwrap_or((path, ""));
                (Some(package), rest)
            }
            Some(("file", _)) => return Err("a path of another machine is not followed".into()),
            Some(_) => return Err("only files and packages are read".into()),
            None => (None, name),
        };
        let is_inside = |path: &Path| {
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        let rest = Path::new(rest);
        if !is_inside(rest) || !package.is_none_or(|package| is_inside(Path::new(package))) {
            return Err("the path leads out of the folder".into());
        }
        let mut places: Vec<(PathBuf, PathBuf)> = Vec::new();
        for folder in self.above.first().into_iter().chain(&self.packages) {
            places.push((folder.clone(), folder.join(rest)));
            places.extend(package.map(|package| (folder.clone(), folder.join(package).join(rest))));
        }
        let named =
            |folder: &&PathBuf| package.is_some_and(|p| folder.file_name().is_some_and(|name| name == p));
        places.extend(self.above.iter().filter(named).map(|folder| (folder.clone(), folder.join(rest))));
        let there = places.into_iter().find_map(|(folder, path)| {
            // A link may lead out of the folder.
            let (folder, path) = (folder.canonicalize().ok()?, path.canonicalize().ok()?);
            (path.starts_with(&folder) && path.is_file()).then_some(path)
        });
        there.ok_or_else(|| {
            "there is no such file beside the URDF; name the folder of packages by --meshes".into()
        })
    }
}

impl Meshes {
    /// No meshes yet.
    pub fn new(folders: Folders) -> Self {
        Self { all: Vec::new(), folders, known: HashMap::new() }
    }

    /// Index of the mesh in a file, which is read once.
    pub fn index(&mut self, name: &str) -> Result<usize, String> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let read = self.folders.find(name).and_then(|path| read(&path));
        let taken: usize = self.all.iter().map(Mesh::triangles).sum();
        let index = match read {
            Ok(mesh) if taken + mesh.triangles() > MOST_TRIANGLES => {
                Err(format!("with its {} triangles the page would be too large", mesh.triangles()))
            }
            Ok(mesh) => {
                self.all.push(mesh);
                Ok(self.all.len() - 1)
            }
            Err(why) => Err(why),
        };
        let index = index.map_err(|why| format!("{name}: {why}"));
        self.known.insert(name.to_owned(), index.clone());
        index
    }
}

fn read(path: &Path) -> Result<Mesh, String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !["stl", "obj"].contains(&extension.as_str()) {
        return Err(format!("files that end in .{extension} are not read; STL and OBJ are"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    file.map_err(|e| format!("cannot be read: {e}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("larger than {} MiB", LARGEST >> 20));
    }
    let corners = if extension == "obj" { obj(&bytes) } else { stl(&bytes) };
    let corners =
        corners.filter(|corners| !corners.is_empty() && corners.iter().flatten().all(|x| x.is_finite()));
    corners.map(|corners| Mesh { corners }).ok_or_else(|| format!("no {} file", extension.to_uppercase()))
}

/// Corners of an STL file, binary or text.
fn stl(bytes: &[u8]) -> Option<Vec<[f32; 3]>> {
    let number = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(f32::from_le_bytes);
    if let Some(count) = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes)
        && bytes.len() as u64 == 84 + 50 * u64::from(count)
    {
        let corner = |at: usize| Some([number(at)?, number(at + 4)?, number(at + 8)?]);
        // A normal, three corners, and two bytes.
        return (84..bytes.len()).step_by(50).flat_map(|at| [12, 24, 36].map(|k| corner(at + k))).collect();
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let corners = text.lines().filter_map(|line| line.trim().strip_prefix("vertex "));
    let corners: Vec<[f32; 3]> = corners.map(three).collect::<Option<_>>()?;
    corners.len().is_multiple_of(3).then_some(corners)
}

/// Corners of an OBJ file. Faces with more than three corners are fans.
fn obj(bytes: &[u8]) -> Option<Vec<[f32; 3]>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (mut points, mut corners) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(point) = line.strip_prefix("v ") {
            points.push(three(point)?);
        } else if let Some(face) = line.strip_prefix("f ") {
            let point = |word: &str| -> Option<[f32; 3]> {
                let index: i64 = word.split('/').next()?.parse().ok()?;
                // Negative indices count from the last point back.
                let from = if index < 0 { i64::try_from(points.len()).ok()? + index } else { index - 1 };
                points.get(usize::try_from(from).ok()?).copied()
            };
            let face: Vec<[f32; 3]> = face.split_ascii_whitespace().map(point).collect::<Option<_>>()?;
            for pair in face.get(1..)?.windows(2) {
                corners.extend([face[0], pair[0], pair[1]]);
            }
        }
    }
    Some(corners)
}

fn three(text: &str) -> Option<[f32; 3]> {
    let mut numbers = text.split_ascii_whitespace().map(|x| x.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

impl Mesh {
    fn triangles(&self) -> usize {
        self.corners.len() / 3
    }

    /// Corners as fractions of their box, in 65535ths: two bytes a number.
    pub fn described(&self) -> Value {
        let (mut lower, mut upper) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for corner in &self.corners {
            for k in 0..3 {
                (lower[k], upper[k]) = (lower[k].min(corner[k]), upper[k].max(corner[k]));
            }
        }
        let mut bytes = Vec::with_capacity(6 * self.corners.len());
        for corner in &self.corners {
            for k in 0..3 {
                let range = f64::from(upper[k]) - f64::from(lower[k]);
                let share =
                    if range > 0.0 { (f64::from(corner[k]) - f64::from(lower[k])) / range } else { 0.0 };
                bytes.extend(((share * 65535.0).round() as u16).to_le_bytes());
            }
        }
        json!({"lower": lower, "upper": upper, "corners": base64(&bytes)})
    }
}

/// Base 64 (RFC 4648), of a multiple of three bytes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len() / 3 * 4);
    for three in bytes.chunks_exact(3) {
        let number = three.iter().fold(0, |number, byte| number << 8 | usize::from(*byte));
        text.extend([18, 12, 6, 0].map(|shift| char::from(DIGITS[number >> shift & 63])));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_are_read() {
        let text =
            "solid x\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1e0 0\n";
        let expected = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(stl(text.as_bytes()), Some(expected.clone()));
        let mut binary = vec![0; 80];
        binary.extend(1_u32.to_le_bytes());
        binary.extend([0; 12]);
        binary.extend(expected.iter().flatten().flat_map(|x: &f32| x.to_le_bytes()));
        binary.extend([0; 2]);
        assert_eq!(stl(&binary), Some(expected.clone()));
        let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 2 3 -1\n";
        let corners = obj(square).unwrap();
        assert_eq!(corners.len(), 6);
        assert_eq!(corners[5], [0.0, 1.0, 0.0]);
        for wrong in ["f 1 2 3", "v 0 0", "v 0 0 0\nf 1 2 x", "v 0 0 0\nf 0 1 1"] {
            assert_eq!(obj(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn corners_are_numbers_of_two_bytes() {
        let mesh = Mesh { corners: vec![[0.0, 2.0, 5.0], [1.0, 3.0, 5.0], [0.5, 2.0, 5.0]] };
        let described = mesh.described();
        assert_eq!(described["upper"], json!([1.0, 3.0, 5.0]));
        assert_eq!(described["corners"], "AAAAAAAA/////wAAAIAAAAAA");
        assert_eq!(base64(b"Man"), "TWFu");
    }

    #[test]
    fn meshes_are_found_in_the_folder_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("arm_description");
        std::fs::create_dir_all(package.join("urdf")).unwrap();
        std::fs::create_dir_all(package.join("meshes")).unwrap();
        std::fs::write(package.join("meshes/a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let mut meshes = Meshes::new(Folders::new(&package.join("urdf/arm.urdf"), &[]));
        assert_eq!(meshes.index("package://arm_description/meshes/a.obj"), Ok(0));
        for name in [
            "../meshes/a.obj",
            "package://../arm_description/meshes/a.obj",
            "/etc/passwd",
            "file:///etc/passwd",
            "https://x/a.stl",
        ] {
            assert!(meshes.index(name).is_err(), "{name}");
        }
        let mut meshes = Meshes::new(Folders::new(Path::new("elsewhere.urdf"), &[folder.path().to_owned()]));
        assert_eq!(meshes.index("package://arm_description/meshes/a.obj"), Ok(0));
    }
}
