//! Tests of the URDF reader, in one program: linking one takes longer than most of them run.

mod urdf_agreement;
mod urdf_hostile;
mod urdf_mutations;
mod urdf_numbers;
mod urdf_reports;
mod urdf_singular;
