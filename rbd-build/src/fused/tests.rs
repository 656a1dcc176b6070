use super::*;
use crate::table::functions::Function;
use rbd_runtime::random::{Options, random_model};

fn fault(text: &str) -> String {
    text.parse::<Fused>().expect_err(text).to_string()
}

/// A name means one output, whichever function computes it. All aliases lead to that output.
#[test]
fn a_name_is_of_one_quantity() {
    let all = Quantity::all();
    let mut names: Vec<&str> = all.iter().map(|q| q.name()).collect();
    names.extend(all.iter().flat_map(|q| q.other_names()));
    names.sort_unstable();
    let twice = names.windows(2).find(|w| w[0] == w[1]);
    assert_eq!(twice, None);
    for quantity in &all {
        assert_eq!(Quantity::named(quantity.name()), Ok(*quantity));
        for other in quantity.other_names() {
            assert_eq!(Quantity::named(other), Ok(*quantity), "{other}");
        }
        let outputs = quantity.sources().into_iter().map(|(_, output)| output);
        assert!(outputs.into_iter().all(|output| output == quantity.output()), "{}", quantity.name());
    }
    // Every output of the table is a quantity.
    for function in Function::ALL.into_iter().filter(|f| !f.is_by_parameters()) {
        let named = |o: &crate::signatures::signature::Output| all.iter().any(|q| q.output() == *o);
        assert!(function.spec().outputs.iter().all(named), "{}", function.name());
    }
}

#[test]
fn lists_are_read() {
    let fused: Fused =
        "Step: ddq, M, tool: placement(tool0), jacobian(\"LF FOOT\", world), fext".parse().unwrap();
    assert_eq!((fused.name(), fused.method().as_str(), fused.has_forces()), ("Step", "step", true));
    let fields: Vec<&str> = fused.entries().iter().map(Entry::field).collect();
    assert_eq!(fields, ["ddq", "m", "tool", "jacobian_lf_foot"]);
    assert_eq!(fused.entries()[3].frame(), Some(("LF FOOT", ReferenceFrame::World)));
}

#[test]
fn faults_say_how_to_mend() {
    for (text, said) in [
        ("ddq", "write a name"),
        ("Step:", "gives nothing"),
        ("Step: ddx", "there is no quantity `ddx`: did you mean `ddq`?"),
        ("Step: jacobean(t, local)", "did you mean `jacobian`?"),
        ("Step: jacobian(t, wrold)", "did you mean `world`?"),
        ("Step: jacobian(t)", "write one of `local`, `world`, `local_world_aligned`"),
        ("Step: placement(t, local)", "write no reference frame"),
        ("Step: placement", "write `placement(\"frame\")`"),
        ("Step: jacobian", "write `jacobian(\"frame\", local)`"),
        ("Step: com(t)", "of the whole robot"),
        ("Step: aba_derivatives", "name those that you want: ddq, ddq_dq, ddq_dv, ddq_dtau"),
        ("Step: kinetic_energy_derivatives", "kinetic_energy, denergy_dq, denergy_dv"),
        ("Step: rnea_fext", "write `fext` in the list, and `tau`"),
        ("Step: aba_hessian", "computed by loops over tables"),
        ("Step: ddq, aba", "`ddq` is given twice"),
        ("Step: jacobian(t, local), jacobian(t, world)", "two results `jacobian_t`"),
        ("Step: fn: ddq", "`fn` cannot be the name of a field"),
        ("Step: com, fext", "nothing in `Step` depends on `fext`"),
        ("step: ddq", "cannot be the name of a fused result"),
        ("Match: ddq", "cannot be the name of a fused result"),
        ("T: ddq", "cannot be the name of a fused result"),
    ] {
        let found = fault(text);
        assert!(found.contains(said), "{text}: {found}");
    }
}

/// Functions that take part in a list, and its parameters.
fn components(list: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let model = random_model(3, &Options::default());
    let frame = &model.frames[0].name;
    let fused: Fused = format!("Step: {}", list.replace("FRAME", frame)).parse().expect(list);
    let whole = FusedFunction::new(&fused, &model).expect(list);
    let functions = whole.components.iter().map(|p| p.function.name()).collect();
    (functions, whole.params.iter().map(|p| p.name).collect())
}

#[test]
fn what_is_needed_anyway_is_taken_from_there() {
    for (list, functions, params) in [
        ("ddq, com", &["aba", "center_of_mass"][..], &["q", "v", "tau"][..]),
        ("ddq, ddq_dq, minv", &["aba_derivatives"], &["q", "v", "tau"]),
        ("minv, ddq_dtau", &["minv", "aba_derivatives"], &["q", "v", "tau"]),
        ("m, tau, dtau_dq", &["rnea_derivatives"], &["q", "v", "a"]),
        ("tau, ddq, fext", &["rnea_fext", "aba_fext"], &["q", "v", "a", "tau", "fext"]),
        ("ddq_dq, bias, fext", &["bias", "aba_derivatives_fext"], &["q", "v", "tau", "fext"]),
        ("momentum, rate, drate_dq", &["centroidal_derivatives"], &["q", "v", "a"]),
        ("jacobian(FRAME, local), dv_dq(FRAME, local)", &["frame_velocity_derivatives"], &["q", "v"]),
        (
            "jacobian(FRAME, world), dv_dq(FRAME, local)",
            &["frame_jacobian", "frame_velocity_derivatives"],
            &["q", "v"],
        ),
    ] {
        assert_eq!(components(list), (functions.to_vec(), params.to_vec()), "{list}");
    }
}
