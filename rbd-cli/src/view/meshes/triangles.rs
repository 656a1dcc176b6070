//! Triangles that a file has, by their colors.

use serde_json::{Value, json};

/// Most triangles of all meshes together: some ten megabytes of the page.
pub const MOST: usize = 400_000;

/// Point of a mesh.
pub type Point = [f32; 3];

/// Red, green, blue, opacity.
pub type Color = [f64; 4];

/// Triangles of one color.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// The file's color, if it states one.
    pub color: Option<Color>,
    /// Corners, three after one another.
    pub corners: Vec<Point>,
}

/// Triangles of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Triangles of each color.
    pub parts: Vec<Patch>,
}

impl Triangles {
    /// Triangles without a color.
    pub fn plain(corners: Vec<Point>) -> Self {
        Self { parts: vec![Patch { color: None, corners }] }
    }

    /// Number of triangles.
    pub fn count(&self) -> usize {
        self.parts.iter().map(|part| part.corners.len() / 3).sum()
    }

    /// Adds the triangles of a polygon, as a fan about its first corner.
    pub fn polygon(&mut self, color: Option<Color>, corners: &[Point]) -> Result<(), String> {
        let at = self.parts.iter().position(|part| part.color == color).unwrap_or_else(|| {
            self.parts.push(Patch { color, corners: Vec::new() });
            self.parts.len() - 1
        });
        for pair in corners.get(1..).unwrap_or_default().windows(2) {
            self.parts[at].corners.extend([corners[0], pair[0], pair[1]]);
        }
        // A small file may name one mesh many times.
        if self.count() > MOST { Err(format!("more than {MOST} triangles")) } else { Ok(()) }
    }
}

impl Patch {
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
        let corners = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, &bytes);
        json!({"color": self.color, "lower": lower, "upper": upper, "corners": corners})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_numbers_of_two_bytes() {
        let corners = vec![[0.0, 2.0, 5.0], [1.0, 3.0, 5.0], [0.5, 2.0, 5.0]];
        let described = Patch { color: None, corners }.described();
        assert_eq!(described["upper"], json!([1.0, 3.0, 5.0]));
        assert_eq!(described["corners"], "AAAAAAAA/////wAAAIAAAAAA");
    }

    #[test]
    fn polygons_are_fans_of_their_color() {
        let (mut triangles, red) = (Triangles::default(), Some([1.0, 0.0, 0.0, 1.0]));
        let square = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        triangles.polygon(red, &square).unwrap();
        triangles.polygon(None, &square[..3]).unwrap();
        triangles.polygon(red, &square[..2]).unwrap();
        assert_eq!((triangles.parts.len(), triangles.count()), (2, 3));
        assert_eq!(triangles.parts[0].corners[3..], [square[0], square[2], square[3]]);
        let many = vec![[0.0; 3]; MOST];
        assert!(triangles.polygon(None, &many).is_err());
    }
}
