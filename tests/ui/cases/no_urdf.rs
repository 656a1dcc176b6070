rbd::rbd_robot! {
    pub struct Arm {
        base: floating,
    }
}

fn main() {}
