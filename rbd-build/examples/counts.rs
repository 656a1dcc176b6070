use rbd_build::function::Function;
use rbd_build::options::{Base, ReadOptions};
use rbd_build::tree::Tree;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let base = if args.get(2).is_some_and(|a| a == "floating") { Base::Floating } else { Base::Fixed };
    let r = rbd_build::urdf::read_file(&args[1], &ReadOptions { base, ..Default::default() }).unwrap_or_else(|e| panic!("{e}"));
    let tree = Tree::new(&r.model, 1e-12);
    println!("nv {}", tree.nv);
    for f in Function::ALL {
        let t0 = std::time::Instant::now();
        let t = f.trace(&tree);
        println!("{:24} {:24} {:6} {:?} losers {:?}  {:?}", f.name(), t.formulation, t.count().adds_and_muls(), t.count(), t.losers.iter().map(|(n, c)| (*n, c.adds_and_muls())).collect::<Vec<_>>(), t0.elapsed());
    }
}
