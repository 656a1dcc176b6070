//! Kernels as bytes, to be kept on disk and read again.
//!
//! Numbers are written seven bits a byte, lowest first; floating-point numbers as their bits. Readers trust
//! nothing: what is no kernel gives `None`. Whether a kernel is sound, [`Kernel::verify`] says.

use super::{Angle, ArrayDecl, ArrayId, Kernel, Op, Operand, Place, Reg, Role, Signed, Stmt, Turned};
use crate::calls::{Call, Routine, Terms};
use crate::products::{ColumnGroup, Panels, Product, ProductKind, Range, RowBlock};
use rbd_runtime::loops::of_model::Owned;
use std::sync::Arc;

/// Bytes that are written.
#[derive(Debug, Default)]
pub struct Writer {
    /// The bytes so far.
    pub bytes: Vec<u8>,
}

/// Bytes that are read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The bytes that are left.
    pub bytes: &'a [u8],
}

/// Parts of kernels that are not written: they follow from the robot.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The robot whose tables calls read, if it has tables.
    pub robot: Option<&'a Arc<Owned>>,
    /// Text with static lifetime, for names of arrays.
    pub interned: fn(&str) -> &'static str,
}

impl Writer {
    /// Writes a whole number.
    pub fn number(&mut self, number: usize) {
        self.long(number as u64);
    }

    fn long(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn float(&mut self, x: f64) {
        self.bytes.extend(x.to_bits().to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.bytes.extend(text.as_bytes());
    }

    /// Writes how many things there are, and then each.
    pub fn list<'t, T: 't>(
        &mut self,
        list: impl IntoIterator<Item = &'t T, IntoIter: ExactSizeIterator>,
        mut each: impl FnMut(&mut Self, &T),
    ) {
        let list = list.into_iter();
        self.number(list.len());
        list.for_each(|item| each(self, item));
    }

    fn optional<T>(&mut self, item: Option<T>, some: impl FnOnce(&mut Self, T)) {
        self.number(item.is_some().into());
        if let Some(item) = item {
            some(self, item);
        }
    }

    fn id(&mut self, id: ArrayId) {
        self.number(id.index());
    }

    fn place(&mut self, place: Place) {
        self.id(place.array);
        self.number(place.index as usize);
    }

    fn reg(&mut self, reg: Reg) {
        self.long(register(reg));
    }

    fn operand(&mut self, operand: Operand) {
        self.signed(Signed { operand, negated: false });
    }

    fn signed(&mut self, Signed { operand, negated }: Signed) {
        let mut head = |tag: u64, of: u64| self.long(of << 3 | u64::from(negated) << 2 | tag);
        match operand {
            Operand::Const(x) => {
                head(0, 0);
                self.float(x);
            }
            Operand::LaneConst(slot) => head(1, slot.into()),
            Operand::Load(place) => {
                head(2, place.array.0.into());
                self.number(place.index as usize);
            }
            Operand::Reg(reg) => head(3, register(reg)),
        }
    }

    fn op(&mut self, op: &Op) {
        let mut plain = |tag: usize, operands: &[Operand]| {
            self.number(tag);
            operands.iter().for_each(|operand| self.operand(*operand));
        };
        match op {
            Op::Add(a, b) => plain(0, &[*a, *b]),
            Op::Sub(a, b) => plain(1, &[*a, *b]),
            Op::Mul(a, b) => plain(2, &[*a, *b]),
            Op::Recip(a) => plain(3, &[*a]),
            Op::Hypot(a, b) => plain(4, &[*a, *b]),
            Op::Sum(a) => plain(5, &[*a]),
            Op::MulAdd { a, b, c } => {
                plain(6, &[*b]);
                self.signed(*a);
                self.signed(*c);
            }
            Op::Gather(scalars) => {
                plain(7, &[]);
                self.list(scalars, |to, scalar| to.signed(*scalar));
            }
            Op::Lane(a, lane) => {
                plain(8, &[*a]);
                self.number((*lane).into());
            }
        }
    }

    fn groups(&mut self, groups: &[ColumnGroup]) {
        let range = |to: &mut Self, range: Range| {
            to.number(range.0);
            to.number(range.1);
        };
        self.list(groups, |to, group| {
            range(to, group.columns);
            to.list(&group.blocks, |to, block| {
                range(to, block.rows);
                to.list(&block.terms, |to, terms| range(to, *terms));
            });
        });
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { reg, op } => {
                self.number(0);
                self.reg(*reg);
                self.op(op);
            }
            Stmt::SinCos(angles) => {
                self.number(1);
                self.list(angles, |to, Angle { of, sin, cos, turned }| {
                    to.operand(*of);
                    to.optional(*sin, Self::reg);
                    to.optional(*cos, Self::reg);
                    to.optional(*turned, |to, Turned { of, sign, offset }| {
                        to.place(of);
                        to.float(sign);
                        to.float(offset);
                    });
                });
            }
            Stmt::Fill { array, with } => {
                self.number(2);
                self.id(*array);
                self.float(*with);
            }
            Stmt::Store { to, from } => {
                self.number(3);
                self.place(*to);
                self.signed(*from);
            }
            Stmt::Product(Product { kind, groups }) => {
                let (tag, arrays) = match kind {
                    ProductKind::Negative { a, x } => (4, vec![*a, *x]),
                    ProductKind::Gram { g, d, out } => (5, vec![*g, *d, *out]),
                };
                self.number(tag);
                arrays.into_iter().for_each(|id| self.id(id));
                self.groups(groups);
            }
            Stmt::Call(call) => {
                self.number(6);
                self.call(call);
            }
        }
    }

    fn call(&mut self, call: &Call) {
        let Call { routine, arguments, scratch, results, robot, terms } = call;
        self.number(*routine as usize);
        self.list(arguments, |to, id| to.optional(*id, Self::id));
        self.list(scratch, |to, id| to.id(*id));
        self.list(results, |to, id| to.id(*id));
        self.number(robot.is_some().into());
        self.optional(terms.as_deref(), |to, Terms { panels, by_q, by_v, knows_base }| {
            for groups in [&panels.factor, &panels.invert, &panels.gram, by_q, by_v] {
                to.groups(groups);
            }
            to.number((*knows_base).into());
        });
    }
}

/// Number and lanes of a variable as one number.
fn register(reg: Reg) -> u64 {
    u64::from(reg.number) << 2 | u64::from(reg.lanes.trailing_zeros())
}

impl Reader<'_> {
    /// Reads a whole number.
    pub fn number(&mut self) -> Option<usize> {
        usize::try_from(self.long()?).ok()
    }

    fn long(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            let bits = u64::from(byte & 0x7f);
            number |= bits << shift;
            if bits << shift >> shift != bits {
                return None;
            }
            if *byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn float(&mut self) -> Option<f64> {
        let (bits, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(f64::from_bits(u64::from_le_bytes(*bits)))
    }

    fn text(&mut self) -> Option<&str> {
        let length = self.number()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        std::str::from_utf8(text).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads a list whose items take a byte at least.
    pub fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        if count > self.bytes.len() {
            return None;
        }
        (0..count).map(|_| each(self)).collect()
    }

    fn optional<T>(&mut self, some: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.flag()? { some(self).map(Some) } else { Some(None) }
    }

    fn id(&mut self) -> Option<ArrayId> {
        u16::try_from(self.number()?).ok().map(ArrayId)
    }

    fn place(&mut self) -> Option<Place> {
        Some(Place { array: self.id()?, index: u32::try_from(self.number()?).ok()? })
    }

    fn reg(&mut self) -> Option<Reg> {
        variable(self.long()?)
    }

    fn operand(&mut self) -> Option<Operand> {
        self.signed().filter(|signed| !signed.negated).map(|signed| signed.operand)
    }

    fn signed(&mut self) -> Option<Signed> {
        let head = self.long()?;
        let (of, negated) = (head >> 3, head >> 2 & 1 == 1);
        let operand = match head & 3 {
            0 => Operand::Const(self.float()?),
            1 => Operand::LaneConst(u32::try_from(of).ok()?),
            2 => {
                let array = ArrayId(u16::try_from(of).ok()?);
                Operand::Load(Place { array, index: u32::try_from(self.number()?).ok()? })
            }
            _ => Operand::Reg(variable(of)?),
        };
        Some(Signed { operand, negated })
    }

    fn op(&mut self) -> Option<Op> {
        Some(match self.number()? {
            0 => Op::Add(self.operand()?, self.operand()?),
            1 => Op::Sub(self.operand()?, self.operand()?),
            2 => Op::Mul(self.operand()?, self.operand()?),
            3 => Op::Recip(self.operand()?),
            4 => Op::Hypot(self.operand()?, self.operand()?),
            5 => Op::Sum(self.operand()?),
            6 => {
                let b = self.operand()?;
                Op::MulAdd { a: self.signed()?, b, c: self.signed()? }
            }
            7 => Op::Gather(self.list(Self::signed)?),
            8 => Op::Lane(self.operand()?, u8::try_from(self.number()?).ok()?),
            _ => return None,
        })
    }

    fn range(&mut self) -> Option<Range> {
        Some((self.number()?, self.number()?))
    }

    fn groups(&mut self) -> Option<Vec<ColumnGroup>> {
        self.list(|from| {
            let columns = from.range()?;
            let blocks = from.list(|from| {
                let rows = from.range()?;
                Some(RowBlock { rows, terms: from.list(Self::range)? })
            })?;
            Some(ColumnGroup { columns, blocks })
        })
    }

    fn statement(&mut self, known: Known<'_>) -> Option<Stmt> {
        Some(match self.number()? {
            0 => Stmt::Let { reg: self.reg()?, op: self.op()? },
            1 => Stmt::SinCos(self.list(|from| {
                let of = from.operand()?;
                let (sin, cos) = (from.optional(Self::reg)?, from.optional(Self::reg)?);
                let turned = from.optional(|from| {
                    Some(Turned { of: from.place()?, sign: from.float()?, offset: from.float()? })
                })?;
                Some(Angle { of, sin, cos, turned })
            })?),
            2 => Stmt::Fill { array: self.id()?, with: self.float()? },
            3 => Stmt::Store { to: self.place()?, from: self.signed()? },
            4 => {
                let kind = ProductKind::Negative { a: self.id()?, x: self.id()? };
                Stmt::Product(Product { kind, groups: self.groups()? })
            }
            5 => {
                let kind = ProductKind::Gram { g: self.id()?, d: self.id()?, out: self.id()? };
                Stmt::Product(Product { kind, groups: self.groups()? })
            }
            6 => Stmt::Call(self.call(known)?),
            _ => return None,
        })
    }

    fn call(&mut self, known: Known<'_>) -> Option<Call> {
        let routine = *Routine::ALL.get(self.number()?)?;
        let arguments = self.list(|from| from.optional(Self::id))?;
        let (scratch, results) = (self.list(Self::id)?, self.list(Self::id)?);
        let robot = if self.flag()? { Some(known.robot?.clone()) } else { None };
        let terms = self.optional(|from| {
            let panels = Panels { factor: from.groups()?, invert: from.groups()?, gram: from.groups()? };
            let (by_q, by_v) = (from.groups()?, from.groups()?);
            Some(Arc::new(Terms { panels, by_q, by_v, knows_base: from.flag()? }))
        })?;
        let (needs_robot, needs_terms, count) = routine.needs();
        let has_all = (!needs_robot || robot.is_some()) && (!needs_terms || terms.is_some());
        let is_sound = has_all && results.len() == count && arguments.len() <= 4;
        is_sound.then_some(Call { routine, arguments, scratch, results, robot, terms })
    }
}

/// The inverse of [`register`].
fn variable(of: u64) -> Option<Reg> {
    let lanes = [1, 2, 4].get((of & 3) as usize)?;
    Some(Reg { number: u32::try_from(of >> 2).ok()?, lanes: *lanes })
}

const ROLES: [Role; 4] = [Role::In, Role::Out, Role::Scratch, Role::Lent];

impl Kernel {
    /// Writes the kernel, but for tables of the robot.
    pub fn write(&self, to: &mut Writer) {
        let Self { arrays, lane_constants, body } = self;
        to.list(arrays, |to, ArrayDecl { name, rows, columns, role }| {
            to.text(name);
            to.number(*rows);
            to.number(*columns);
            to.number(ROLES.iter().position(|known| known == role).unwrap_or(0));
        });
        to.list(lane_constants, |to, lanes| to.list(lanes, |to, x| to.float(*x)));
        to.list(body, Writer::statement);
    }

    /// Reads what [`Self::write`] wrote.
    pub fn read(from: &mut Reader<'_>, known: Known<'_>) -> Option<Self> {
        let arrays = from.list(|from| {
            let name = (known.interned)(from.text()?);
            let (rows, columns) = (from.number()?, from.number()?);
            // As many numbers as there is memory for.
            let _ = rows.checked_mul(columns).filter(|length| *length < 1 << 32)?;
            Some(ArrayDecl { name, rows, columns, role: *ROLES.get(from.number()?)? })
        })?;
        let lane_constants =
            from.list(|from| from.list(Reader::float).filter(|lanes| [1, 2, 4].contains(&lanes.len())))?;
        Some(Self { arrays, lane_constants, body: from.list(|from| from.statement(known))? })
    }
}
