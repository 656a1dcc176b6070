//! A link's `<inertial>`, and whether it can be a body's.

use super::elements::{Element, LEAST_MASS};
use super::units::Stated;
use super::{origin, rigid};
use crate::urdf::findings::{At, Report, shown};
use crate::urdf::options::ReadOptions;
use nalgebra::{Matrix3, SymmetricEigen, Vector3};
use rbd_runtime::spatial::Inertia;

/// Mass and inertia of a link in the file.
pub(super) enum Inertial {
    /// None: a frame without mass.
    Absent,
    /// Unreadable, and reported.
    Faulty,
    /// About the link frame's origin, and about the centre of mass in the inertial frame.
    Given { inertia: Inertia<f64>, central: Matrix3<f64>, at: At },
}

impl Inertial {
    /// About the link frame's origin.
    pub fn inertia(&self) -> Inertia<f64> {
        match self {
            Self::Given { inertia, .. } => *inertia,
            _ => rigid::no_inertia(),
        }
    }
}

/// Reads a link's `<inertial>`, and the numbers of its `<origin>`.
pub(super) fn read(
    link: Element<'_, '_, '_>,
    options: &ReadOptions,
    report: &mut Report,
) -> (Inertial, Option<Stated>) {
    let Some(inertial) = link.child("inertial", report) else { return (Inertial::Absent, None) };
    let (origin, stated) = match inertial.child("origin", report) {
        Some(origin) => origin::read(origin, options, report).unzip(),
        None => (Some(rigid::identity()), None),
    };
    let mass = inertial
        .required_child("mass", "<mass value=\"...\"/>", report)
        .and_then(|e| Some((e.required_number("value", report)?, e.at_attribute("value"))));
    let example = "<inertia ixx=\"...\" ixy=\"0\" ixz=\"0\" iyy=\"...\" iyz=\"0\" izz=\"...\"/>";
    let central = inertial.required_child("inertia", example, report).and_then(|e| {
        let [xx, xy, xz, yy, yz, zz] =
            ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].map(|name| e.required_number(name, report));
        let (xx, xy, xz, yy, yz, zz) = (xx?, xy?, xz?, yy?, yz?, zz?);
        Some((Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz), e.at()))
    });
    if let Some((mass, at)) = mass
        && mass < 0.0
    {
        let what = format!("the mass {mass} is negative");
        report.error("negative-mass", at, link.subject, what, "a mass is zero or more, in kilograms");
        return (Inertial::Faulty, stated);
    }
    if let Some((mass, at)) = mass
        && 0.0 < mass
        && mass < LEAST_MASS
    {
        let what =
            format!("the mass {} kg is less than {} kg, a bacterium's", shown(mass), shown(LEAST_MASS));
        let help = "give the mass in kilograms, or 0 if the link has none; it is used as it is";
        report.warn("tiny-mass", at, link.subject, what, help);
    }
    let (Some(origin), Some((mass, _)), Some((central, at))) = (origin, mass, central) else {
        return (Inertial::Faulty, stated);
    };
    let about_com = Inertia { mass, h: Vector3::zeros(), j: central };
    (Inertial::Given { inertia: rigid::in_outer_frame(&origin, &about_com), central, at }, stated)
}

/// Judges a link's own inertia: positive semidefinite, and possible for some body.
pub(super) fn judge(inertial: &Inertial, subject: &str, allow_unphysical: bool, report: &mut Report) {
    /// Rounding of eigenvalues, relative to the largest principal inertia.
    const ROUNDING: f64 = 1e-10;
    /// Rounding of a thin plate's printed inertias, relative to the largest principal inertia.
    const PRINTING: f64 = 1e-5;
    /// Radius of gyration squared, m^2, of ten nanometres.
    ///
    /// Exporters print rounding errors of a zero, some 1e-20 kg m^2 for a link of grams. An
    /// absolute bound might cover the whole inertia of an insect's link.
    const NOISE: f64 = 1e-16;
    /// The bound for a link without mass, kg m^2.
    const NOISE_WITHOUT_MASS: f64 = 1e-18;
    let Inertial::Given { inertia, central, at } = inertial else { return };
    let principal = principal(central);
    let (least, largest) = (principal[0], principal[2].max(-principal[0]));
    let noise = if inertia.mass > 0.0 { NOISE * inertia.mass } else { NOISE_WITHOUT_MASS };
    let listed = listed(&principal);
    if least < -ROUNDING * largest - noise {
        let what = format!("the inertia is not positive semidefinite: its principal values are {listed}");
        if allow_unphysical {
            report.warn("inertia-not-psd", *at, subject, what, "correct the inertia; it is used as it is");
        } else {
            let help = "correct the inertia (about the centre of mass; check the signs of ixy, ixz, iyz), \
                        or set `allow_unphysical_inertia`";
            report.value_error("inertia-not-psd", *at, subject, what, help);
        }
        return;
    }
    if principal[0] + principal[1] < principal[2] * (1.0 - PRINTING) - noise {
        report.warn(
            "inertia-triangle",
            *at,
            subject,
            format!("no body has the principal inertias {listed}: the largest exceeds the other two's sum"),
            "correct the inertia; it is used as it is",
        );
    }
    if inertia.mass == 0.0 && largest > noise {
        report.warn(
            "inertia-without-mass",
            *at,
            subject,
            "the mass is zero and the inertia is not",
            "give the mass too; the inertia is used as it is",
        );
    }
}

/// Principal inertias for a message, with rounding errors of a zero printed as zero.
fn listed(principal: &Vector3<f64>) -> String {
    let noise = 1e-12 * principal.amax();
    let each = principal.iter().map(|&x| shown(if x.abs() <= noise { 0.0 } else { x }));
    each.collect::<Vec<_>>().join(", ")
}

/// Principal inertias in ascending order.
pub(super) fn principal(inertia: &Matrix3<f64>) -> Vector3<f64> {
    let scale = inertia.amax();
    if scale == 0.0 {
        return Vector3::zeros();
    }
    // The iteration converges in a few steps; the bound is there so that it cannot run on.
    let eigen = SymmetricEigen::try_new(inertia / scale, f64::EPSILON, 1000);
    let mut values: [f64; 3] = eigen.map_or([f64::NAN; 3], |e| e.eigenvalues.into());
    values.sort_by(f64::total_cmp);
    Vector3::from(values) * scale
}
