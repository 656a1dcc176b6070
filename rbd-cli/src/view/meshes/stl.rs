//! STL files.

use super::triangles::{Point, Triangles};

/// Triangles of an STL file, binary or text.
pub fn read(bytes: &[u8]) -> Result<Triangles, String> {
    corners(bytes).map(Triangles::plain).ok_or_else(|| "no STL file".into())
}

fn corners(bytes: &[u8]) -> Option<Vec<Point>> {
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
    let corners: Vec<Point> = corners.map(super::three).collect::<Option<_>>()?;
    corners.len().is_multiple_of(3).then_some(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_binary_are_read() {
        let text =
            "solid x\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1e0 0\n";
        let expected = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(corners(text.as_bytes()), Some(expected.clone()));
        let mut binary = vec![0; 80];
        binary.extend(1_u32.to_le_bytes());
        binary.extend([0; 12]);
        binary.extend(expected.iter().flatten().flat_map(|x: &f32| x.to_le_bytes()));
        binary.extend([0; 2]);
        assert_eq!(corners(&binary), Some(expected));
        assert!(read(&[0xff]).is_err());
    }
}
