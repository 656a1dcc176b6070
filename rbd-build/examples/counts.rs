use rbd_build::function::Function;
use rbd_build::options::{Base, ReadOptions};
use rbd_build::tree::{Rewrite, Spin, Tree};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let base = if args.get(2).is_some_and(|a| a == "floating") { Base::Floating } else { Base::Fixed };
    let r = rbd_build::urdf::read_file(&args[1], &ReadOptions { base, ..Default::default() })
        .unwrap_or_else(|e| panic!("{e}"));
    for regroup in [None, Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ)] {
        let tree = Tree::new(&r.model, Rewrite { snap: 1e-11, realign: true, regroup });
        print!("{regroup:?}:");
        let names: Vec<&str> = args[3].split(',').collect();
        for f in Function::ALL.into_iter().filter(|f| names.contains(&f.name())) {
            for t in f.trace_all(&tree) {
                print!("  {} {} {}", f.name(), t.formulation, t.count().adds_and_muls());
            }
        }
        println!();
    }
}
