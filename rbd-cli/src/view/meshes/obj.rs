//! OBJ files.

use super::triangles::{Point, Triangles};

/// Triangles of an OBJ file. Faces with more than three corners are fans.
pub fn read(bytes: &[u8]) -> Result<Triangles, String> {
    corners(bytes).map(Triangles::plain).ok_or_else(|| "no OBJ file".into())
}

fn corners(bytes: &[u8]) -> Option<Vec<Point>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (mut points, mut corners) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(point) = line.strip_prefix("v ") {
            points.push(super::three(point)?);
        } else if let Some(face) = line.strip_prefix("f ") {
            let point = |word: &str| -> Option<[f32; 3]> {
                let index: i64 = word.split('/').next()?.parse().ok()?;
                // Negative indices count from the last point back.
                let from = if index < 0 { i64::try_from(points.len()).ok()? + index } else { index - 1 };
                points.get(usize::try_from(from).ok()?).copied()
            };
            let face: Vec<Point> = face.split_ascii_whitespace().map(point).collect::<Option<_>>()?;
            for pair in face.get(1..)?.windows(2) {
                corners.extend([face[0], pair[0], pair[1]]);
            }
        }
    }
    Some(corners)
}

#[cfg(test)]
mod tests {
    use super::corners;

    #[test]
    fn faces_are_read() {
        let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 2 3 -1\n";
        let corners_of_square = corners(square).unwrap();
        assert_eq!(corners_of_square.len(), 6);
        assert_eq!(corners_of_square[5], [0.0, 1.0, 0.0]);
        for wrong in ["f 1 2 3", "v 0 0", "v 0 0 0\nf 1 2 x", "v 0 0 0\nf 0 1 1"] {
            assert_eq!(corners(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
