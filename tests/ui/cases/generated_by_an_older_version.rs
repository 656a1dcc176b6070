// As generated files begin (see `tests/golden`), by another version than this.
const _: () = {
    use ::rbd::__private as rt;
    const _: () = rt::assert_version("0.0.9");
};

fn main() {}
