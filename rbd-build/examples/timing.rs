use rbd_build::{Robot, Function, Base};
fn main(){
 for (r,b) in [("iiwa14",Base::Fixed),("hyq",Base::Floating),("g1",Base::Floating)] {
  for f in [Function::Rnea,Function::Crba,Function::Minv,Function::Aba,Function::RneaDerivatives,Function::AbaDerivatives]{
   let t=std::time::Instant::now();
   let g=Robot::from_urdf(format!("robots/{r}.urdf")).base(b).functions([f]).trace().unwrap();
   let dt=t.elapsed();
   let c=g.functions[0].count();
   println!("{r} {} {:?} adds {} muls {} total {} {} limbs {:?}",f.name(),dt,c.adds,c.muls,c.adds+c.muls,g.functions[0].formulation, g.functions[0].limbs.as_ref().map(|l|l.count().total()));
  }
 }
}
