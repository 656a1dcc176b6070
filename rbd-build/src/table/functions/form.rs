//! Forms of a function, and the endings that mark them in its name.

/// A form of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// True if the function takes the axes of contacts' rows.
    pub axes: bool,
    /// True if the function takes parameters at run time.
    pub parameters: bool,
    /// True if the function writes its result in place.
    pub out: bool,
}

impl Form {
    /// Name of a function in this form.
    pub fn name(self, function: &str) -> String {
        let endings = [(self.axes, "_in"), (self.parameters, "_with"), (self.out, "_into")];
        let endings = endings.into_iter().filter_map(|(has, ending)| has.then_some(ending));
        std::iter::once(function).chain(endings).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_in_one_order() {
        assert_eq!(Form::default().name("rnea"), "rnea");
        let all = Form { axes: true, parameters: true, out: true };
        assert_eq!(all.name("delassus"), "delassus_in_with_into");
    }
}
